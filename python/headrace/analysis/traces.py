"""Event traces: opening, pictures, and the figures of `headrace trace info` and `stats`."""

from __future__ import annotations

import os
from typing import Any

from headrace import _native
from headrace._errors import UsageError
from headrace.analysis.overviews import Overview, overview
from headrace.analysis.rank_lists import rank_list
from headrace.logs import refuse_pipes

Facts = dict[str, Any]


class Trace:
    """A trace, and what its locations are; header-only until events are asked for."""

    def __init__(self, path: str | os.PathLike[str], job: int | None = None) -> None:
        self.path = os.fspath(path)
        if job is not None and job < 1:
            raise UsageError(f"{self.path}: jobs in a file are numbered from 1, not {job}")
        refuse_pipes(self.path)
        self.native = _native.Trace(os.fsencode(self.path), job or 0)
        self.facts = self.native.facts()
        self.locations = self.native.locations().rows()

    def names(self) -> list[str]:
        """How locations are called: by rank, or by process without one; by thread where any has several."""
        threaded = any(row["thread"] != 1 for row in self.locations)
        processes: dict[int, set[int]] = {}
        for row in self.locations:
            processes.setdefault(row["rank"], set()).add(row["process"])
        names = []
        for row in self.locations:
            alone = row["rank"] >= 0 and len(processes[row["rank"]]) == 1
            name = f"rank {row['rank']}" if row["rank"] >= 0 else ""
            name = name if alone else f"{name} pid {row['pid']}".strip()
            names.append(f"{name}:{row['thread']}" if threaded else name)
        return names

    def choose(self, rank: int | None, process: str | None) -> list[int]:
        """Numbers of the locations of a rank, and of a process by its pid or id. Raises UsageError."""
        chosen = list(range(len(self.locations)))
        if rank is not None:
            chosen = [i for i in chosen if self.locations[i]["rank"] == rank]
            if not chosen:
                ranks = rank_list(row["rank"] for row in self.locations if row["rank"] >= 0)
                raise UsageError(
                    f"{self.path}: has no rank {rank}; it has " + (f"ranks {ranks}" if ranks else "no ranks")
                )
        if process is not None:
            wanted = [
                i
                for i in chosen
                if process in (str(self.locations[i]["pid"]), str(self.locations[i]["process"]))
            ]
            if not wanted:
                pids = ", ".join(sorted({str(self.locations[i]["pid"]) for i in chosen})[:8])
                raise UsageError(f"{self.path}: has no process {process}; pids in it begin with {pids}")
            chosen = wanted
        return chosen

    def time(self) -> tuple[int, int]:
        """When the first event and the last one were, in ns since the job's start. Both 0 without events."""
        with_events = [row for row in self.locations if row["events"]]
        begin = min((row["begin_at_ns"] for row in with_events), default=0)
        return begin, max((row["end_at_ns"] for row in with_events), default=0)

    def overview(
        self,
        columns: int,
        rows: int,
        begin_at_ns: int | None = None,
        end_at_ns: int | None = None,
        locations: list[int] | None = None,
    ) -> Overview:
        """A picture of `columns` x at most `rows` cells; by default of all the time and all locations.

        `end_at_ns` is behind the range. `locations` are numbers in self.locations. Raises UsageError.
        """
        chosen = list(range(len(self.locations))) if locations is None else locations
        if not chosen:
            raise UsageError(f"{self.path}: there is nothing to see of no locations")
        first, last = self.time()
        begin = first if begin_at_ns is None else begin_at_ns
        end = max(last + 1, begin + columns) if end_at_ns is None else end_at_ns
        return overview(self.native, columns, rows, begin, end, chosen)


def info(trace: Trace) -> Facts:
    """What headers and tables say; decodes at most one chunk."""
    rows = trace.locations
    begin, end = trace.time() if any(row["events"] for row in rows) else (None, None)
    ranks = sorted({row["rank"] for row in rows if row["rank"] >= 0})
    events = sum(row["events"] for row in rows)
    return {
        "trace": trace.path,
        "command": trace.facts.get("command"),
        "start_utc_ns": _number(trace.facts.get("start_utc_ns")),
        "begin_at_ns": begin,
        "end_at_ns": end,
        "locations": len(rows),
        "processes": len({row["process"] for row in rows}),
        "hosts": len({row["host"] for row in rows if row["host"]}),
        "ranks": len(ranks),
        "rank_list": rank_list(ranks) if ranks else None,
        "events": events,
        "bytes": trace.native.size,
        "bytes_per_event": trace.native.size / events if events else None,
        "tick_ns": trace.native.tick_ns or None,
        "chunks": sum(row["chunks"] for row in rows),
        "lost_chunks": sum(row["lost_chunks"] for row in rows),
        "lost_events": sum(row["lost"] + row["missing"] for row in rows),
        "filter": trace.facts.get("filter"),
        "accounts": trace.native.accounts(),
        "closed": trace.native.closed,
        "damage": damage(trace),
    }


def damage(trace: Trace) -> list[Facts]:
    return [{"offset": at, "bytes": length, "reason": reason} for at, length, reason in trace.native.damage()]


def stats(trace: Trace) -> Facts:
    """What the events add up to. Decodes all of them."""
    sums = trace.native.stats()
    events = sums["events"]
    headers = sum(row["events"] for row in trace.locations)
    return {
        "trace": trace.path,
        "events": events,
        "bytes": trace.native.size,
        "bytes_per_event": trace.native.size / events if events else None,
        "locations": len(trace.locations),
        "lost_chunks": sum(row["lost_chunks"] for row in trace.locations) + trace.native.damaged_chunks,
        "lost_events": sum(row["lost"] + row["missing"] for row in trace.locations) + headers - events,
        "kinds": sums["kinds"],
        "class_ns": sums["class_ns"],
        "traffic": sums["traffic"],
        "functions": functions(sums["spans"].rows()),
        "damage": damage(trace),
    }


def functions(spans: list[Facts]) -> list[Facts]:
    """One row a function or region, by time; one that reads and does other things has several spans."""
    merged: dict[tuple[str, str, str], Facts] = {}
    for span in sorted(spans, key=lambda span: -span["time_ns"]):
        key = (span["kind"], span["layer"], span["name"])
        row = merged.setdefault(
            key, {**span, "calls": 0, "unfinished": 0, "errors": 0, "bytes": 0, "time_ns": 0}
        )
        for name in ("calls", "unfinished", "errors", "bytes", "time_ns"):
            row[name] += span[name]
        row["longest_ns"] = max(row["longest_ns"], span["longest_ns"])
    return sorted(merged.values(), key=lambda row: (-row["time_ns"], row["layer"], row["name"]))


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() else None
