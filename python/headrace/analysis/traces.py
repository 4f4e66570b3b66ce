"""Event traces: opening, pictures, and the figures of `headrace trace info` and `stats`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace import _native
from headrace._errors import UsageError
from headrace.analysis import trace_clocks
from headrace.analysis.moments import utc_text
from headrace.analysis.opened_traces import OpenedTrace
from headrace.analysis.overview_rows import rows_of
from headrace.analysis.overviews import Overview, overview
from headrace.analysis.rank_lists import chosen_ranks, parse_ranks, rank_list
from headrace.analysis.trace_calls import ALL, Calls
from headrace.analysis.trace_events import ENDS, UNKNOWN, event_batch, event_facts, with_nulls
from headrace.analysis.trace_filters import unmatched
from headrace.analysis.trace_sums import cut, damage, functions, stats
from headrace.analysis.unfinished import of_trace
from headrace.logs import Damage

if TYPE_CHECKING:
    import pyarrow

Facts = dict[str, Any]
_CHECKED = 256 << 20  # bytes: a tenth of a second

_TOLD = 8  # pids in a message


class Trace(OpenedTrace):
    """A trace, and what its locations are; header-only until events are asked for. Needs no closing.

    `facts`: of the job, texts by key. `locations`: dicts, one a thread, by rank, process and thread; their
    place in this list is their number. Times are nanoseconds since the job's start. See docs/trace.md.
    """

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
        """Events by time, in batches of so many.

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
        if rows <= 0:
            raise UsageError(f"{self.path}: a batch has rows")
        cursor = self.native.rows(self._chosen(locations), *self._range(begin_at_ns, end_at_ns))
        while len(frame := cursor.next(rows)):
            yield frame

    def _range(self, begin_at_ns: int, end_at_ns: int | None) -> tuple[int, int]:
        end = UNKNOWN if end_at_ns is None else end_at_ns
        if not (0 <= begin_at_ns <= UNKNOWN and 0 <= end <= UNKNOWN):
            raise UsageError(f"{self.path}: times are 0 to 2^64 - 1 ns")
        return begin_at_ns, end

    def _chosen(self, locations: list[int] | None) -> list[int]:
        count = len(self.locations)
        chosen = list(range(count)) if locations is None else locations
        if wrong := [each for each in chosen if not 0 <= each < count]:
            raise UsageError(f"{self.path}: has no location {wrong[0]}; it has {count}, from 0")
        return chosen

    def functions(self) -> list[Facts]:
        """Functions and regions by time: as `functions` of stats()."""
        return functions(self.native.stats(self._chosen(None))["spans"].rows())

    def stats(
        self,
        begin_at_ns: int = 0,
        end_at_ns: int | None = None,
        locations: list[int] | None = None,
        calls: Calls = ALL,
        by_file: bool = False,
    ) -> Facts:
        """What the events add up to: as `headrace trace stats --json`. Decodes what the range touches.

        `end_at_ns` is the last nanosecond. `by_file` adds `files`. Raises UsageError.
        """
        chosen, span = self._chosen(locations), self._range(begin_at_ns, end_at_ns)
        return stats(self, chosen, *span, calls, by_file)

    def messages(self, begin_at_ns: int = 0, end_at_ns: int | None = None) -> pyarrow.Table:
        """Messages that were sent or received in the range, each with both ends, by time.

        sent_at_ns, received_at_ns, from_location, to_location (null: that end is not in the trace),
        from_rank, to_rank, communicator, tag, bytes_sent, bytes_received. Decodes all events.
        """
        import pyarrow

        found = pyarrow.record_batch(self.native.messages(*self._range(begin_at_ns, end_at_ns)))
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

    def choose(self, rank: int | str | None = None, process: int | str | None = None) -> list[int]:
        """Numbers of the locations of a rank or a list of them ("0-7,12"), and of a process by its pid or id.

        Raises UsageError.
        """
        chosen = list(range(len(self.locations)))
        if rank is not None:
            ranks = self.choose_ranks(rank)
            chosen = [i for i in chosen if self.locations[i]["rank"] in ranks]
        if process is not None:
            wanted = [i for i in chosen if process in _names_of_process(self.locations[i])]
            if not wanted:
                raise UsageError(f"{self.path}: has no process {process}; it has {self._pids(chosen)}")
            chosen = wanted
        return chosen

    def choose_ranks(self, rank: int | str) -> set[int]:
        """Ranks of the trace, by one or by a list as text. Raises UsageError."""
        there = {row["rank"] for row in self.locations if row["rank"] >= 0}
        return chosen_ranks(parse_ranks(str(rank)), there, self.path)

    def _pids(self, chosen: list[int]) -> str:
        pids = sorted({self.locations[each]["pid"] for each in chosen})
        more = f" and {len(pids) - _TOLD:,} more" if len(pids) > _TOLD else ""
        return f"pid{'s' * (len(pids) > 1)} {', '.join(map(str, pids[:_TOLD]))}{more}" if pids else "none"

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

        Where there are fewer rows than locations, overview_rows.py says which share one.

        `end_at_ns` is behind the range. `locations` are numbers in self.locations. Raises UsageError.
        """
        chosen = self._chosen(locations)
        if not chosen and self.locations:
            raise UsageError(f"{self.path}: there is nothing to see of no locations")
        if columns < 1 or rows < 1:
            raise UsageError(f"{self.path}: a picture has columns and rows")
        first, last = self.time()
        if end_at_ns == 0 and not begin_at_ns:
            begin_at_ns, end_at_ns = (
                0,
                columns,
            )  # nothing was before the begin: a picture has columns all the same
        if begin_at_ns is not None and end_at_ns is not None and end_at_ns <= begin_at_ns:
            raise UsageError(f"{self.path}: a range of time has at least a nanosecond a column")
        if begin_at_ns is None:
            begin_at_ns = first if end_at_ns is None else max(0, min(first, end_at_ns - columns))
        if end_at_ns is None:
            end_at_ns = max(last + 1, begin_at_ns + columns)
        return overview(self.native, columns, rows_of(self.locations, chosen, rows), begin_at_ns, end_at_ns)


def location_facts(trace: Trace) -> list[Facts]:
    """What JSON has of each location."""
    keys = ("host", "events", "lost", "missing", "chunks", "lost_chunks", "bytes")
    times = ("begin_at_ns", "end_at_ns")
    return [
        {
            "name": name,
            **location_name(row),
            "command": row["command"] or None,
            "thread_name": row["thread_name"] or None,
            **{key: row[key] for key in keys},
            **{key: row[key] if row["events"] else None for key in times},
        }
        for name, row in zip(trace.names(), trace.locations, strict=True)
    ]


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
        "start_utc": utc_text(_number(trace.facts.get("start_utc_ns"))),
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
        **cut(trace),
        "lost_events": sum(row["missing"] for row in rows),
        "damaged_chunks": damaged_chunks(trace),
        "unfinished": of_trace(trace.facts, rows),
        "filter": trace.facts.get("filter"),
        "unmatched": unmatched(trace),
        "flushes_alone": trace.facts.get("flushes_alone"),
        "accounts": trace.native.accounts(),
        "clocks": trace_clocks.clocks(trace),
        "closed": trace.native.closed,
        "no_room": None if "unified" in trace.facts else trace.facts.get("no_room"),
        "first_parts": first_parts(trace),
        "waiting_files": waiting_files(trace),
        "damage": damage(trace),
    }


def damaged_chunks(trace: Trace) -> int | None:
    """Chunks of events that fail their checksum; None: there is too much to read all of it for that."""
    if trace.native.size > _CHECKED:
        return None
    trace.native.verify()
    return trace.native.damaged_chunks


def waiting_files(trace: Trace) -> list[str]:
    """Files of nodes that are not there yet: on local storage until all that writes to them has ended."""
    if trace.native.closed or "unified" in trace.facts:
        return []
    names = {name for key, name in trace.facts.items() if key.startswith("stream.")}
    place = Path(f"{trace.path.removesuffix('/')}" + ("" if trace.path.endswith(".d") else ".d"))
    return sorted(name for name in names if name.startswith("node-") and not (place / name).is_file())


def first_parts(trace: Trace) -> list[str]:
    """Other files that have what came first, in their order: the place they are at took no more."""
    if "unified" in trace.facts:
        return []
    keys = [key for key in trace.facts if key.startswith("first_part.")]
    return [trace.facts[key] for key in sorted(keys, key=lambda key: (len(key), key))]


def _names_of_process(row: Facts) -> tuple[int | str, ...]:
    return row["pid"], row["process"], str(row["pid"]), process_id(row["process"])


def process_id(number: int) -> str:
    """The id of a process as JSON and options have it: many readers do not keep 64 bits of a number."""
    return f"{number:016x}"


def location_name(row: Facts) -> Facts:
    """How JSON names a location."""
    return {
        "rank": row["rank"] if row["rank"] >= 0 else None,
        "process": process_id(row["process"]),
        "pid": row["pid"],
        "thread": row["thread"],
    }


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() else None
