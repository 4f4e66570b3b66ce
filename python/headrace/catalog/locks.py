"""Who writes parts that no commit names yet, so that nobody takes them for what a killed adder left.

Writers hold a lock on a file of the catalog together, from their first part to its commit; who removes
leftovers takes it alone. The system lets go of the lock of a process that is killed. On file systems without
locks (flock) nothing is held, and only the age of a file says whose it can be.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from headrace._errors import OutputError

_NAME = ".writing"  # of the file, in the catalog
_NO_LOCKS = (errno.ENOTSUP, errno.ENOSYS, errno.ENOLCK, errno.EINVAL)


@contextlib.contextmanager
def writing(root: Path) -> Iterator[None]:
    """Raises OutputError."""
    handle = _open(root, os.O_RDONLY)
    try:
        _lock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def alone(root: Path) -> Iterator[bool]:
    """False: somebody is writing. Who begins to write waits until this is left. Raises OutputError."""
    handle = _open(root, os.O_RDWR)
    try:
        try:
            _lock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_alone = True
        except BlockingIOError:
            is_alone = False
        yield is_alone
    finally:
        os.close(handle)


def _open(root: Path, how: int) -> int:
    path = root / _NAME
    try:
        return os.open(path, how | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise OutputError(f"{path}: cannot be opened: {error.strerror}") from error


def _lock(handle: int, how: int) -> None:
    try:
        fcntl.flock(handle, how)
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
