"""The table of files that could not be read, or not in whole, when somebody last tried to add them.

A study is thereby able to say which logs it lacks. A file is in it until it is added whole, or is gone.
"""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace.catalog import commits, locks, parts
from headrace.catalog.schema import arrow_schema
from headrace.catalog.source import as_text, printed, whole

if TYPE_CHECKING:
    from headrace.catalog.catalog import Catalog

Row = dict[str, Any]


def row(path: Path, reason: str, partly: bool) -> Row:
    """What is noted of a file; `reason` may begin with its path."""
    size: int | None = None
    changed: datetime.datetime | None = None
    with contextlib.suppress(OSError):
        facts = path.stat()
        size, changed = facts.st_size, _utc(facts.st_mtime)
    return {
        "path": printed(whole(path)),
        "partly": partly,
        "why": as_text(reason.removeprefix(f"{path}: ")),
        "bytes": size,
        "modified": changed,
        "tried": datetime.datetime.now(datetime.timezone.utc),
    }


def note(catalog: Catalog, bad: list[Row], tried: Collection[Path]) -> None:
    """Commits what trying these files brought, where that is news. Raises CatalogError and OutputError.

    Rows of files that were tried and are not bad are taken out, and those of files that are gone.
    """
    import pyarrow

    if not bad and not catalog.state.of("unread"):
        return
    now = {found["path"]: found for found in bad}
    fine = {printed(whole(path)) for path in tried} - now.keys()
    with locks.writing(catalog.path):
        while True:
            catalog.refresh()
            old = {found["path"]: found for found in catalog.table("unread").to_pylist()}
            kept = {path: old[path] for path in old.keys() - fine if _is_there(path)}
            new = kept | {path: found for path, found in now.items() if not _same(found, old.get(path))}
            if new == old:
                return
            rows = pyarrow.Table.from_pylist(
                [new[path] for path in sorted(new)], schema=arrow_schema("unread")
            )
            written = parts.write(catalog.path, "unread", rows)
            removed = [part.path for part in catalog.state.of("unread")]
            after = commits.publish(catalog.path, catalog.state, written, removed)
            if after is not None:
                catalog.state = after
                return
            for part in written:
                (catalog.path / part.path).unlink(missing_ok=True)


def _is_there(path: str) -> bool:
    """Of a name that is no UTF-8 nobody knows."""
    return "\ufffd" in path or os.path.lexists(path)


def _same(found: Row, old: Row | None) -> bool:
    """But for the moment at which it was tried."""
    return old is not None and all(found[key] == old[key] for key in found if key != "tried")


def _utc(seconds: float) -> datetime.datetime | None:
    """To the microsecond; None: a time that no calendar has."""
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None
