"""Rows whose file was changed and is added again: they are taken out as the new ones come in.

Only what people write by hand (schema.WRITTEN): a corrected calendar says what is so, while of logs, records
and samples each file adds to the others. Such a file is known by content and path: two that say the same are
two, and one that was moved is the same as before.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.catalog import parts
from headrace.catalog.commits import Part, State
from headrace.catalog.schema import WRITTEN

if TYPE_CHECKING:
    from headrace.catalog.source import Source

KIND = "toml"  # of such a source


def identity(digest: str, path: str) -> str:
    """Id of a source of this kind; `digest`: of its content."""
    return f"{digest}:{hashlib.blake2b(path.encode(), digest_size=8).hexdigest()}"


def find(root: Path, state: State, fresh: Iterable[Source]) -> set[str]:
    """Ids of what the files of `fresh` said before, also where they were then. Raises CatalogError."""
    written = [source for source in fresh if source.kind == KIND]
    if not written:
        return set()
    by_path = {source.path: source.id for source in written}
    contents = {_content(source.id) for source in written}
    found = set()
    for part in state.of("sources"):
        columns = parts.read(root, part, ["source", "path", "kind"]).to_pydict()
        for source, path, kind in zip(columns["source"], columns["path"], columns["kind"], strict=True):
            if kind == KIND and (
                by_path.get(path, source) != source or (_content(source) in contents and _is_gone(path))
            ):
                found.add(source)
    return found


def _content(identity: str) -> str:
    """Before paths were a part of it, it was that alone."""
    return identity.partition(":")[0]


def _is_gone(path: str) -> bool:
    return "\ufffd" not in path and not os.path.lexists(path)


def rewrite(root: Path, state: State, ids: set[str]) -> tuple[list[Part], list[str]]:
    """New parts without the rows of these sources, and the paths of the parts that they take the place of.

    Raises CatalogError and OutputError.
    """
    written: list[Part] = []
    removed: list[str] = []
    for name in (*WRITTEN, "sources") if ids else ():
        for part in state.of(name):
            if "source" not in part.columns:  # of before there was this column
                continue
            rows = parts.read(root, part)
            left = rows.filter([source not in ids for source in rows["source"].to_pylist()])
            if left.num_rows < rows.num_rows:
                removed.append(part.path)
                written += parts.write(root, name, left)
    return written, removed
