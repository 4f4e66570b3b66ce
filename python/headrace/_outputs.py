"""Files at a place that a user named: whole or not there, and never in the place of something else.

Such a file is written beside its place, under a name that nobody can have prepared, and is given its own in
the end, when something may have come there that was not at the start.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from headrace._errors import HeadraceError, OutputError, UsageError

__all__ = [
    "Refusal",
    "any_file",
    "apart",
    "check",
    "make_directory",
    "new_file",
    "only_with_force",
    "reason_of",
]

# Why a file that is there has to stay, behind its name and a colon; None: it may be replaced.
Refusal: TypeAlias = Callable[[Path], "str | None"]

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS}  # of file systems that have no second names
_ADVICE = {
    errno.ENOENT: "make its directory first",
    errno.ENOTDIR: "make its directory first",
    errno.ENOSPC: "free some space, or write to another directory",
    errno.EDQUOT: "free some space, or write to another directory",
}


def any_file(_: Path) -> str | None:
    return None


def only_with_force(force: bool) -> Refusal:
    """Of commands that replace a file, whatever it is, when they are told to."""
    return any_file if force else lambda _: "exists already; --force replaces it"


def apart(target: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]) -> None:
    """That a command does not write over what it reads, also where it may replace files. UsageError."""
    for read in inputs:
        try:
            same = Path(target).samefile(read)
        except OSError:  # one is not there
            continue
        if same:
            raise UsageError(f"{target}: is {read} itself, which is read; give the result another name")


def reason_of(error: OSError) -> str:
    """What went wrong, and what to do."""
    advice = _ADVICE.get(error.errno or 0, "choose a place you may write to")
    return f"{error.strerror or error}: {advice}"


def make_directory(directory: Path) -> None:
    """For a result that is one, which may be there. As for files, none above it is made. OutputError."""
    try:
        directory.mkdir(exist_ok=True)
    except FileNotFoundError as error:
        why = f"{directory.parent} is not there: make it first"
        raise OutputError(f"{directory}: cannot be made a directory: {why}") from error
    except FileExistsError as error:
        why = "a file is there: name another directory"
        raise OutputError(f"{directory}: cannot be made a directory: {why}") from error
    except OSError as error:
        raise OutputError(f"{directory}: cannot be made a directory: {reason_of(error)}") from error


def check(target: str | os.PathLike[str], refusal: Refusal) -> None:
    """That `new_file` may write there, as far as can be known before. OutputError."""
    path = Path(os.path.realpath(target))
    try:
        _refuse(target, path, refusal)
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise OutputError(f"{target}: its directory is not there, or not for this user; choose another")
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {reason_of(error)}") from error


@contextmanager
def new_file(target: str | os.PathLike[str], refusal: Refusal) -> Iterator[Path]:
    """Gives an empty file to write into: it gets the name `target` when the block ends, and goes if it fails.

    A link stays one: what it leads to is made or replaced. OutputError: something must not be replaced, or
    an OSError was raised, which is taken for one of writing.
    """
    path = Path(os.path.realpath(target))
    try:
        _refuse(target, path, refusal)
        partial = _partial(path)
        try:
            yield partial
            _name(partial, target, path, refusal)
        except HeadraceError as error:
            # A name that is gone says nothing to anybody.
            error.args = (str(error).replace(str(partial), os.fspath(target)),)
            raise
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {reason_of(error)}") from error


def _refuse(target: str | os.PathLike[str], path: Path, refusal: Refusal) -> None:
    """OutputError: something is there that must not be replaced. OSError: nobody can tell."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise OutputError(f"{target}: is a directory; name a file in it")
    if stat.S_ISLNK(mode):
        raise OutputError(f"{target}: is a link that leads in a circle, or came meanwhile; remove it")
    if not stat.S_ISREG(mode):
        raise OutputError(f"{target}: is no file that could be replaced; choose another name")
    if why := refusal(path):
        raise OutputError(f"{target}: {why}")


def _partial(path: Path) -> Path:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        partial = path.with_name(f".headrace-{secrets.token_hex(8)}.partial")
        try:
            os.close(os.open(partial, flags, 0o666))
        except FileExistsError:
            continue
        return partial


def _name(partial: Path, target: str | os.PathLike[str], path: Path, refusal: Refusal) -> None:
    try:
        _link(partial, path)
    except FileExistsError:
        _refuse(target, path, refusal)
        partial.replace(path)


def _link(partial: Path, path: Path) -> None:
    """FileExistsError: something has the name."""
    try:
        os.link(partial, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666))
        partial.replace(path)
