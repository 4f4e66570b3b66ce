"""Commits: which parts a catalog consists of (docs/formats/catalog.md).

A commit is a file that is made under its number, or not at all: who finds the number taken looks at what is
new and tries the next one. Parts that no commit names do not exist for readers, so that an adder that is
killed at any moment changes nothing. Any number of processes, also on several hosts, if the file system
makes hard links. Each has a checksum, and that of the one before it; those of earlier versions have none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headrace._errors import CatalogError, OutputError
from headrace.catalog.schema import FORMAT

FOLDER = "commits"
_WHOLE_EVERY = 32  # a commit of such a number says all parts, so that readers need not go back further
_KEYS = ("table", "path", "rows", "bytes", "checksum")
_LATEST = ".latest"  # says the highest number, so that the loss of the last commits does not pass unseen


@dataclass(frozen=True)
class Part:
    """One Parquet file."""

    table: str
    path: str  # relative to the catalog, with "/"
    rows: int
    bytes: int
    checksum: str
    columns: tuple[str, ...]  # that it has, in their order


@dataclass
class State:
    """The parts that count after commit `number`; 0: there is none yet."""

    number: int = 0
    parts: dict[str, Part] = field(default_factory=dict)  # by path
    checksum: str | None = None  # of that commit

    def of(self, table: str) -> list[Part]:
        return [part for part in self.parts.values() if part.table == table]


def read(root: Path) -> State:
    """Raises CatalogError where a commit is missing or damaged."""
    chain: list[dict[str, Any]] = []
    for number in range(max(numbers(root), default=0), 0, -1):
        chain.append(load(root, number))
        if "parts" in chain[-1]:
            break
    state = State()
    for commit in reversed(chain):
        if not follows(commit, state):
            path = path_of(root, commit["number"])
            raise CatalogError(f"{path}: is not of the commit before it: bring both back from a backup")
        state = after(state, commit)
    return state


def follows(commit: dict[str, Any], state: State) -> bool:
    """Whether it was made after that state, as far as their commits say."""
    before = commit.get("before")
    return before is None or state.checksum is None or before == state.checksum


def after(state: State, commit: dict[str, Any]) -> State:
    """What counts after a commit; `state` is used up."""
    _apply(state, commit)
    return State(commit["number"], state.parts, commit.get("checksum"))


def numbers(root: Path) -> list[int]:
    """Of all commits that are there. Raises CatalogError."""
    folder = root / FOLDER
    try:
        return [number for number in (_number(path.name) for path in folder.iterdir()) if number]
    except OSError as error:
        raise CatalogError(f"{folder}: cannot be read: {error.strerror}") from error


def latest(root: Path) -> int:
    """The highest number that was ever made, as far as that is noted."""
    try:
        return int((root / _LATEST).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def removed_since(root: Path, moment: float) -> set[str]:
    """Paths of parts taken out by commits made since `moment` (seconds since 1970). Raises CatalogError."""
    paths: set[str] = set()
    for number in numbers(root):
        if path_of(root, number).stat().st_mtime >= moment:
            paths.update(load(root, number)["removed"])
    return paths


def refresh(root: Path, state: State) -> State:
    """The state now, where that was the state some time ago."""
    newer = path_of(root, state.number + 1)
    return read(root) if os.path.lexists(newer) else state


def publish(root: Path, state: State, added: Iterable[Part], removed: Iterable[str] = ()) -> State | None:
    """Makes the commit after `state`; None: somebody else made one of that number.

    Parts must be on the disk. Raises OutputError.
    """
    number = state.number + 1
    commit: dict[str, Any] = {
        "format": FORMAT,
        "number": number,
        "before": state.checksum,
        "added": [_as_json(part) for part in added],
        "removed": list(removed),
    }
    made = after(State(parts=dict(state.parts)), commit)
    if number % _WHOLE_EVERY == 0:
        commit["parts"] = [_as_json(part) for part in made.parts.values()]
    commit["checksum"] = made.checksum = _checksum(commit)
    if not _link(path_of(root, number), json.dumps(commit, indent=1)):
        return None
    with contextlib.suppress(OSError):
        if latest(root) < number:
            (root / _LATEST).write_text(f"{number}\n", encoding="ascii")
    return made


def make_once(path: Path, text: str) -> bool:
    """A file with this content under this name, whole or not at all. False: there is one already."""
    return _link(path, text)


def _link(target: Path, text: str) -> bool:
    temporary = target.with_name(f".{uuid.uuid4().hex}.new")
    try:
        with temporary.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _linked(temporary, target)
        sync_directory(target.parent)
    except FileExistsError:
        return False
    except OSError as error:
        raise OutputError(f"{target}: cannot be made: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _linked(temporary: Path, target: Path) -> None:
    """Over a network, the link may be made and the answer lost: the second try then finds its own."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        if not temporary.samefile(target):
            raise


def make_directory(path: Path) -> None:
    """With those above it, each known to the one above it after a power cut."""
    if not path.is_dir():
        make_directory(path.parent)
        path.mkdir(exist_ok=True)
        sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def path_of(root: Path, number: int) -> Path:
    return root / FOLDER / f"{number:010d}.json"


def _number(name: str) -> int:
    return int(name[:10]) if re.fullmatch(r"[0-9]{10}\.json", name, re.ASCII) else 0


def load(root: Path, number: int) -> dict[str, Any]:
    """Raises CatalogError where it is missing or damaged."""
    path = path_of(root, number)
    try:
        commit = json.loads(path.read_text(encoding="utf-8"))
        made_by = commit["format"]
        if not isinstance(made_by, int) or commit["number"] != number:
            raise ValueError("it says another number")
        if made_by > FORMAT:
            raise CatalogError(
                f"{path}: of format {made_by}, and this version reads up to {FORMAT}: use a newer version"
            )
        if commit.get("checksum") not in (None, _checksum(commit)):
            raise ValueError("its checksum is another one")
        _apply(State(), commit)
    except FileNotFoundError as error:
        raise CatalogError(
            f"{path}: this commit is missing: bring it back from a backup; without it nobody knows the parts"
        ) from error
    except OSError as error:
        raise CatalogError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CatalogError(
            f"{path}: not a commit of a catalog ({error}): bring it back from a backup"
        ) from error
    return dict(commit)


def _checksum(commit: dict[str, Any]) -> str:
    """Of all that it says but its checksum, whatever blanks and order it is written with."""
    said = {key: value for key, value in commit.items() if key != "checksum"}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _apply(state: State, commit: dict[str, Any]) -> None:
    if "parts" in commit:
        state.parts = {part.path: part for part in map(_from_json, commit["parts"])}
    else:
        change(state, commit)


def change(state: State, commit: dict[str, Any]) -> None:
    """As what was added and removed says."""
    for path in commit["removed"]:
        state.parts.pop(path, None)
    for part in map(_from_json, commit["added"]):
        state.parts[part.path] = part


def _as_json(part: Part) -> dict[str, Any]:
    row = {key: getattr(part, key) for key in _KEYS}
    return row | {"columns": list(part.columns)}


def _from_json(row: dict[str, Any]) -> Part:
    part = Part(**{key: row[key] for key in _KEYS}, columns=tuple(map(str, row["columns"])))
    inside = isinstance(part.path, str) and not {"", ".", ".."} & set(part.path.split("/"))
    if not inside or not all(isinstance(number, int) for number in (part.rows, part.bytes)):
        raise ValueError(f"a part {part.path!r}")
    if part.path.split("/")[0] != part.table:
        raise ValueError(f"part {part.path!r} is of another table")
    return part
