"""Files, or directories, of several runs side by side; the matching is native (src/bindings/match.h)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from headrace import _native
from headrace.analysis.access import access
from headrace.analysis.changes import share, signed
from headrace.analysis.kinds import ROW_KINDS, merge_files, merge_topmost
from headrace.analysis.recorded import added, recorded
from headrace.analysis.system_rows import SystemRows
from headrace.logs import JobLog, flags

Facts = dict[str, Any]

TERMS = {"time": "time_ns", "bytes": "bytes", "calls": "calls", "path": "path"}
FIGURES = (
    *("time_ns", "read_ns", "write_ns", "meta_ns", "bytes", "bytes_read", "bytes_written"),
    *("calls", "reads", "writes", "metadata_calls", "opens"),
)
_WHOLE = {name for name in FIGURES if not name.endswith("_ns")}


class Matched:
    """The files of all runs, matched; `frame` is the native table."""

    def __init__(self, sides: Sequence[Sequence[JobLog]], summaries: list[list[Facts]], by: str) -> None:
        self.sides = len(sides)
        self.runs = [(log, place) for place, runs in enumerate(sides) for log in runs]
        self.repeats = [len(runs) for runs in sides]
        directories = [str(run["job"]["working_directory"] or "") for runs in summaries for run in runs]
        self.frames = [merge_topmost(log, by, []) for log, _ in self.runs]
        self.frame = _native.match(
            [
                (frame, directory, place)
                for frame, directory, (_, place) in zip(self.frames, directories, self.runs, strict=True)
            ]
        )

    def counts(self) -> list[Facts | None]:
        """Of each side but the first: how its files were matched, and how much time changed in all."""
        return [None, *(_native.match_counts(self.frame, side) for side in range(1, self.sides))]


def changed_files(matched: Matched, summaries: list[list[Facts]], by: str, sort: str, rows: int) -> Facts:
    """{matched, rows, rows_in_all, rows_of}: `rows` are the files that changed most."""
    ordered = _native.most_changed(matched.frame, TERMS[sort], matched.sides, len(matched.frame))
    numbers = ordered[:rows]
    found = [_row(matched, row) for row in matched.frame.rows(numbers)]
    if by == "path":
        _add_details(matched, found)
    for row in found:
        for place in range(matched.sides):
            row["sides"][place] = row["sides"][place] if row["sides"][place]["present"] else None
    counts = matched.counts()
    _add_shares(found, summaries, counts)
    kinds = Counter(row["kind"] for row in matched.frame.rows(ordered, ["kind"])) if by == "path" else None
    return {
        "matched": counts,
        "rows": found,
        "rows_in_all": len(ordered),
        "rows_of": None if kinds is None else {name: kinds[kind] for kind, name in ROW_KINDS.items()},
    }


def _row(matched: Matched, row: Facts) -> Facts:
    sides: list[Facts] = []
    for place in range(matched.sides):
        figures = {name: _number(name, row[f"{name}_{place}"], matched.repeats[place]) for name in FIGURES}
        sides.append({"present": row[f"present_{place}"], **figures})
    changes: list[Facts | None] = [None]
    changes += [{name: side[name] - sides[0][name] for name in FIGURES} for side in sides[1:]]
    rows = [row[f"row_{run}"] for run in range(len(matched.runs))]
    return {
        "path": row["path"],
        "kind": row["kind"] or None,
        "matched": row["matched"] or None,
        "sides": sides,
        "changes": changes,
        "_rows": rows,
    }


def _number(name: str, value: float, repeats: int) -> float:
    return int(value) if repeats == 1 else value


def _add_details(matched: Matched, found: list[Facts]) -> None:
    """How the first run of each side that has a file used it."""
    for run, (log, place) in enumerate(matched.runs):
        wanted = [row for row in found if row["_rows"][run] >= 0 and "name" not in row["sides"][place]]
        numbers = [row["_rows"][run] for row in wanted]
        system, frame = SystemRows(merge_files(log, "path", []), "path"), matched.frames[run]
        common: dict[tuple[int, str], list[tuple[str, int, int, bool]]] = {}
        for group, way, what, value, count, exact in log.native.common(system.records(frame, numbers)):
            common.setdefault((group, way), []).append((what, value, count, exact))
        for group, (row, counters) in enumerate(zip(wanted, system.below(frame, numbers), strict=True)):
            row["sides"][place] |= {
                "name": counters["path"],
                "final_path": counters["final_path"],
                "processes": counters["processes"],
                "syncs": counters["syncs"],
                "errors": added(recorded(counters, f"{way}_errors") for way in ("read", "write", "meta")),
                "flags": [flag.name for flag in flags() if counters["flags"] >> flag.bit & 1],
                "access": {
                    way: access(counters, way, common.get((group, way), [])) for way in ("read", "write")
                },
            }


def _add_shares(found: list[Facts], summaries: list[list[Facts]], counts: list[Facts | None]) -> None:
    """Of the change of the whole time inside calls, that of files which are not shown included."""
    times = [sum(signed(run["totals"]["io_ns"]) for run in runs) / len(runs) for runs in summaries]
    for row in found:
        del row["_rows"]
        for change, counted, time in zip(row["changes"], counts, times, strict=True):
            if counted is not None:
                change["share"] = share(change["time_ns"], time - times[0], counted["moved_ns"])
