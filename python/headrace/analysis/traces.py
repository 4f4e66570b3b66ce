"""Event traces: opening, pictures, and the figures of `headrace trace info` and `stats`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headrace import _native
from headrace._errors import UsageError
from headrace.analysis import trace_clocks
from headrace.analysis.overviews import Overview, overview
from headrace.analysis.rank_lists import rank_list
from headrace.analysis.trace_events import ENDS, UNKNOWN, event_batch, event_facts, with_nulls
from headrace.logs import Damage, refuse_pipes

if TYPE_CHECKING:
    import pyarrow

Facts = dict[str, Any]


class Trace:
    """A trace, and what its locations are; header-only until events are asked for. Needs no closing.

    `facts`: of the job, texts by key. `locations`: dicts, one a thread, by rank, process and thread; their
    place in this list is their number. Times are nanoseconds since the job's start. See docs/trace.md.
    """

    def __init__(self, path: str | os.PathLike[str], job: int | None = None) -> None:
        self.path = os.fspath(path)
        if job is not None and job < 1:
            raise UsageError(f"{self.path}: jobs in a file are numbered from 1, not {job}")
        refuse_pipes(self.path)
        self.native = _native.Trace(os.fsencode(self.path), job or 0)
        self.facts = self.native.facts()
        self.locations = self.native.locations().rows()

    def __repr__(self) -> str:
        events = sum(row["events"] for row in self.locations)
        return f"<Trace {self.path}: {events:,} events of {len(self.locations)} locations>"

    @property
    def damage(self) -> list[Damage]:
        """What could not be used so far."""
        return [Damage(*place) for place in self.native.damage()]

    def batches(
        self,
        begin_at_ns: int = 0,
        end_at_ns: int | None = None,
        locations: list[int] | None = None,
        rows: int = 65536,
    ) -> Iterator[pyarrow.RecordBatch]:
        """Events by time, of more than 128 locations one after the other, in batches of so many.

        `end_at_ns` is the last nanosecond. Columns are those of events(). Raises UsageError.
        """
        import pyarrow

        for frame in self._frames(begin_at_ns, end_at_ns, locations, rows):
            yield event_batch(pyarrow.record_batch(frame))

    def events(
        self, begin_at_ns: int = 0, end_at_ns: int | None = None, locations: list[int] | None = None
    ) -> Iterator[Facts]:
        """The same as dicts, one an event; an operation on a file with its end is one.

        time_ns, location, kind, layer, name, reference, path, other, size, place, moved, error, duration_ns;
        what each means for a kind is in docs/trace.md. What is not known is None.
        """
        for frame in self._frames(begin_at_ns, end_at_ns, locations, 8192):
            for row in frame.rows():
                yield event_facts(row)

    def _frames(
        self, begin_at_ns: int, end_at_ns: int | None, locations: list[int] | None, rows: int
    ) -> Iterator[_native.Frame]:
        chosen = self._chosen(locations)
        end = UNKNOWN if end_at_ns is None else end_at_ns
        if not (0 <= begin_at_ns <= UNKNOWN and 0 <= end <= UNKNOWN and rows > 0):
            raise UsageError(f"{self.path}: times are 0 to 2^64 - 1 ns, and a batch has rows")
        cursor = self.native.rows(chosen, begin_at_ns, end)
        while len(frame := cursor.next(rows)):
            yield frame

    def _chosen(self, locations: list[int] | None) -> list[int]:
        count = len(self.locations)
        chosen = list(range(count)) if locations is None else locations
        if wrong := [each for each in chosen if not 0 <= each < count]:
            raise UsageError(f"{self.path}: has no location {wrong[0]}; it has {count}, from 0")
        return chosen

    def functions(self) -> list[Facts]:
        """Functions and regions by time: as `functions` of stats()."""
        return functions(self.native.stats()["spans"].rows())

    def stats(self) -> Facts:
        """What the events add up to: as `headrace trace stats --json`. Decodes all of them."""
        return stats(self)

    def messages(self, begin_at_ns: int = 0, end_at_ns: int | None = None) -> pyarrow.Table:
        """Messages that were sent or received in the range, each with both ends, by time.

        sent_at_ns, received_at_ns, from_location, to_location (null: that end is not in the trace),
        from_rank, to_rank, communicator, tag, bytes_sent, bytes_received. Decodes all events.
        """
        import pyarrow

        end = UNKNOWN if end_at_ns is None else end_at_ns
        found = pyarrow.record_batch(self.native.messages(begin_at_ns, end))
        return pyarrow.Table.from_batches(with_nulls(found, ENDS))

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
        chosen = self._chosen(locations)
        if not chosen and self.locations:
            raise UsageError(f"{self.path}: there is nothing to see of no locations")
        first, last = self.time()
        begin = first if begin_at_ns is None else begin_at_ns
        end = max(last + 1, begin + columns) if end_at_ns is None else end_at_ns
        return overview(self.native, columns, rows, begin, end, chosen)


def info(trace: Trace) -> Facts:
    """What headers and tables say; decodes at most one chunk, but where nodes' clocks were compared."""
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
        "flushes_alone": trace.facts.get("flushes_alone"),
        "accounts": trace.native.accounts(),
        "clocks": trace_clocks.clocks(trace),
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
