"""Commits: which parts a catalog consists of (docs/formats/catalog.md).

A commit is a file that is made under its number, or not at all: who finds the number taken looks at what is
new and tries the next one. Parts that no commit names do not exist for readers, so that an adder that is
killed at any moment changes nothing. Any number of processes, also on several hosts, if the file system
makes hard links.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headrace._errors import CatalogError, OutputError
from headrace.catalog.schema import FORMAT, TABLES

FOLDER = "commits"
_WHOLE_EVERY = 32  # a commit of such a number says all parts, so that readers need not go back further
_KEYS = ("table", "path", "rows", "bytes", "checksum")


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

    def of(self, table: str) -> list[Part]:
        return [part for part in self.parts.values() if part.table == table]


def read(root: Path) -> State:
    """Raises CatalogError where a commit is missing or damaged."""
    highest = max((_number(path.name) for path in (root / FOLDER).iterdir()), default=0)
    chain: list[dict[str, Any]] = []
    for number in range(highest, 0, -1):
        chain.append(_load(root, number))
        if "parts" in chain[-1]:
            break
    state = State(highest)
    for commit in reversed(chain):
        _apply(state, commit)
    return state


def removed_since(root: Path, moment: float) -> set[str]:
    """Paths of parts taken out by commits made since `moment` (seconds since 1970). Raises CatalogError."""
    paths: set[str] = set()
    for path in (root / FOLDER).iterdir():
        number = _number(path.name)
        if number and path.stat().st_mtime >= moment:
            paths.update(_load(root, number)["removed"])
    return paths


def refresh(root: Path, state: State) -> State:
    """The state now, where that was the state some time ago."""
    newer = _path(root, state.number + 1)
    return read(root) if newer.exists() else state


def publish(root: Path, state: State, added: Iterable[Part], removed: Iterable[str] = ()) -> State | None:
    """Makes the commit after `state`; None: somebody else made one of that number.

    Parts must be on the disk. Raises OutputError.
    """
    after = State(state.number + 1, dict(state.parts))
    commit: dict[str, Any] = {
        "format": FORMAT,
        "number": after.number,
        "added": [_as_json(part) for part in added],
        "removed": list(removed),
    }
    _apply(after, commit)
    if after.number % _WHOLE_EVERY == 0:
        commit["parts"] = [_as_json(part) for part in after.parts.values()]
    return after if _link(_path(root, after.number), json.dumps(commit, indent=1)) else None


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


def _path(root: Path, number: int) -> Path:
    return root / FOLDER / f"{number:010d}.json"


def _number(name: str) -> int:
    return int(name[:10]) if re.fullmatch(r"[0-9]{10}\.json", name, re.ASCII) else 0


def _load(root: Path, number: int) -> dict[str, Any]:
    path = _path(root, number)
    try:
        commit = json.loads(path.read_text(encoding="utf-8"))
        made_by = commit["format"]
        if not isinstance(made_by, int) or commit["number"] != number:
            raise ValueError("it says another number")
        if made_by > FORMAT:
            raise CatalogError(
                f"{path}: of format {made_by}, and this version reads up to {FORMAT}: use a newer version"
            )
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


def _apply(state: State, commit: dict[str, Any]) -> None:
    if "parts" in commit:
        state.parts = {part.path: part for part in map(_from_json, commit["parts"])}
        return
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
    if part.table in TABLES and part.path.split("/")[0] != part.table:
        raise ValueError(f"part {part.path!r} is of another table")
    return part
