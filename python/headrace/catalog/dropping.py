"""Taking damaged parts out of a catalog, so that the files they came of can be added again.

An addition is one commit: its parts have all rows of its files, and the names of these. Where such a commit
has a bad part, all of its parts are taken out, by a commit of their own: the rest of the catalog is as if
these files had never been added. Parts in which rows of several additions were put together stay, since their
files are not known.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from headrace._errors import CatalogError
from headrace.catalog import commits, locks, parts
from headrace.catalog.catalog import Catalog
from headrace.catalog.commits import Part

__all__ = ["Dropped", "drop"]


@dataclass
class Dropped:
    parts: int = 0
    again: list[str] = field(default_factory=list)  # paths of files whose rows are gone
    kept: list[str] = field(default_factory=list)  # bad parts that stay


def drop(catalog: Catalog, bad: Collection[str]) -> Dropped:
    """Raises CatalogError and OutputError."""
    with locks.writing(catalog.path):
        while True:
            catalog.refresh()
            result = Dropped()
            removed: set[str] = set()
            for path in sorted(set(bad) & catalog.state.parts.keys()):
                added = _addition(catalog, path)
                sources = None if added is None else _sources(catalog, added, bad)
                if added is None or sources is None:
                    result.kept.append(path)
                    continue
                removed.update(part.path for part in added)
                result.again += [source for source in sources if source not in result.again]
            result.parts = len(removed)
            result.kept = [path for path in result.kept if path not in removed]
            if not removed:
                return result
            after = commits.publish(catalog.path, catalog.state, [], sorted(removed))
            if after is not None:
                catalog.state = after
                return result


def _addition(catalog: Catalog, path: str) -> list[Part] | None:
    """All parts of the addition that made this one; None: one of them was put together with others since."""
    for number in sorted(commits.numbers(catalog.path), reverse=True):
        commit = commits.load(catalog.path, number)
        if path not in {row["path"] for row in commit["added"]}:
            continue
        found = [catalog.state.parts.get(row["path"]) for row in commit["added"]]
        whole = [part for part in found if part is not None]
        return None if commit["removed"] or len(whole) < len(found) else whole
    return None


def _sources(catalog: Catalog, added: list[Part], bad: Collection[str]) -> list[str] | None:
    """Paths of the files; None: their names are not known either."""
    named = [part for part in added if part.table == "sources"]
    if not named or any(part.path in bad for part in named):
        return None
    try:
        return [
            path for part in named for path in parts.read(catalog.path, part, ["path"])["path"].to_pylist()
        ]
    except CatalogError:
        return None
