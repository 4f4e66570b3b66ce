"""All commits of a catalog, one after the other: whether each can have been made after those before it.

Readers begin with the last commit that says all parts, and believe what follows. Who verifies begins with the
first: a commit that was changed or lost takes rows away, or brings rows back that others have as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headrace._errors import CatalogError
from headrace.catalog import commits
from headrace.catalog.commits import State

__all__ = ["problems"]


def problems(root: Path) -> list[str]:
    """A sentence for each commit that is wrong, and for those that are missing. Raises CatalogError."""
    latest = commits.latest(root)  # before looking what there is: somebody may add more meanwhile
    there = set(commits.numbers(root))
    found = _missing(root, there, latest)
    state: State | None = State()  # None: not known, since a commit before is missing or damaged
    for number in range(1, max(there, default=0) + 1):
        if number not in there:
            state = None
            continue
        try:
            commit = commits.load(root, number)
        except CatalogError as error:
            found.append(str(error))
            state = None
            continue
        if state is not None:
            found += [f"{commits.path_of(root, number)}: {why}" for why in _wrong(state, commit)]
        state = commits.after(state or State(), commit) if state is not None or "parts" in commit else None
    return found


def _missing(root: Path, there: set[int], latest: int) -> list[str]:
    found = []
    first: int | None = None
    last = max(there | {latest})
    for number in range(1, last + 2):
        if number <= last and number not in there:
            first = first or number
        elif first is not None:
            more = f" to {number - 1:010d}" if number - 1 > first else ""
            found.append(f"{commits.path_of(root, first)}{more}: missing: bring it back from a backup")
            first = None
    return found


def _wrong(state: State, commit: dict[str, Any]) -> list[str]:
    """`state` becomes that after the commit."""
    found = [] if commits.follows(commit, state) else ["is not of the commit before it"]
    for path in commit["removed"]:
        if path not in state.parts:
            found.append(f"takes out {path!r}, which was not there")
    for row in commit["added"]:
        if row["path"] in state.parts:
            found.append(f"adds {row['path']!r}, which was there already")
    commits.change(state, commit)
    if "parts" in commit and commits.after(State(), commit).parts != state.parts:
        found.append("says other parts than those before it made")
    return found
