"""The native module: reads job logs, decodes tables, merges file records.

Everything here is an implementation detail of the package; the public interface is `headrace`. Failures raise
the exceptions of headrace._errors. Calls on one Log may come from any thread and take turns; those that take
long release the interpreter lock.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

version: str

class Frame:
    """Decoded columns, immutable. pyarrow.record_batch(frame) shares them (Arrow C data interface)."""

    @property
    def name(self) -> str:
        """The table it was read from; empty for a merged one."""

    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def rows(self, numbers: Sequence[int] | None = None, columns: Sequence[str] = ()) -> list[dict[str, Any]]:
        """The rows of these numbers, or all, as dicts of these columns, or all."""

    def where(self, equal: Mapping[str, int | str]) -> list[int]:
        """The numbers of the rows that have these values in these columns of text or of numbers from 0.

        KeyError: there is no such column. TypeError: it holds values of another kind.
        """

    def top(self, sort: str, limit: int) -> list[int]:
        """Of merged file records: the numbers of the first rows by "time", "bytes", "calls" or "path"."""

    def records(self, row: int) -> list[int]:
        """Of merged file records: the ids of the records behind one row."""

class Chunks:
    """Any chunk file (docs/formats/chunk-file.md), as it is stored."""

    def __init__(self, path: bytes) -> None: ...

    closed: bool  # an index ends the file
    def tables(self) -> list[str]: ...
    def raw(self, name: str) -> Frame:
        """A table: numbers as integers, text as bytes. LogNotFoundError: there is none of that name."""

    def damage(self) -> list[tuple[int, int, str]]:
        """(offset, bytes, reason) of every part found unusable so far."""

class Log:
    def __init__(self, path: bytes, job: int = 0, anonymizer: Anonymizer | None = None) -> None:
        """`job`: the number of one of several concatenated jobs, from 1; 0 when there is only one.

        With an anonymizer, all tables are seen without names.
        """

    jobs: int
    size: int  # bytes of the file
    closed: bool  # an index ends the file
    def tables(self) -> list[str]: ...
    def damage(self) -> list[tuple[int, int, str]]:
        """(offset, bytes, reason) of every part found unusable so far."""

    def verify(self) -> None:
        """Reads everything, so that damage() is complete."""

    def frame(self, name: str) -> Frame:
        """A table with names resolved and text as valid UTF-8; empty when a known table is not in the log."""

    def raw(self, name: str) -> Frame:
        """A table as stored: ids as integers, text as bytes."""

    def merge(
        self,
        by: str,
        processes: Sequence[int] = (),
        kinds: Sequence[str] = (),
        layers: Sequence[str] = (),
        whose: str = "",
    ) -> Frame:
        """File records merged by "path", "process", "directory", "mount", "kind", "layer" or "all" (merge.h).

        Only those of these process images, kinds and layers; of all when none are given. `whose`: "program"
        without the MPI library's own files, "mpi" of these alone. UsageError: no such key or owner.
        """

    def histogram(
        self,
        processes: Sequence[int] = (),
        kinds: Sequence[str] = (),
        layers: Sequence[str] = (),
        whose: str = "",
    ) -> list[list[int]]:
        """Operations by size: [reads, writes], each by bucket; bucket b holds sizes in (2**(b-1), 2**b]."""

    def columns(self, table: str) -> list[str]:
        """Names of the columns that the log itself has of a table."""

    def functions(self, processes: Sequence[int] = ()) -> Frame:
        """Calls by function and layer, over all processes or some.

        function, layer ("": not said), calls, errors, bytes, time_ns, own_ns, max_ns.
        """

    def process_layers(self) -> Frame:
        """The same by process and layer: `process` in place of `function`."""

    def rank_statistics(self, merged: Frame) -> Frame:
        """How evenly ranks did what each row of merged file records says (rank_stats.h)."""

    def first_opens(self, merged: Frame) -> Frame:
        """size, size_known and flags that each file had when it was first opened (rank_stats.h)."""

    def process_sums(self, merged: Frame, rows: Sequence[int], every: bool = False) -> Frame:
        """What each process did behind these rows: process, bytes_read, bytes_written, time_ns.

        Of records that stand for several ranks, these only if the log has all; `every`: those that it has.
        """

    def properties(self, merged: Frame, rows: Sequence[int] | None = None) -> Frame:
        """Properties of these rows of merged file records, or of all: row, key, value, records.

        `records`: how many of the row have this value.
        """

    def common(self, groups: Sequence[Sequence[int]]) -> list[tuple[int, str, str, int, int, bool]]:
        """(group, "read"/"write", "size"/"stride", value, count, exact) of groups of records.

        Equal values of a group are added up; the most frequent come first.
        """

    def rate(
        self, bins: int, begin_at_ns: int, end_at_ns: int, processes: Sequence[int] = ()
    ) -> tuple[list[float], list[float], list[float], list[float], list[float]]:
        """In each of `bins` equal spans: bytes read and written; reads, writes and other calls.

        The last three are empty when the log does not have them.
        """

    def site_sums(
        self, topmost: Frame, system: Frame, rows: Sequence[int]
    ) -> tuple[list[tuple[str, int, int, int, int]], list[int]]:
        """The table `sites` added up: (what, stack, records, ns, bytes); for each row that of its open.

        -1: it has none. `rows` are those of records merged by path.
        """

    def rate_lines(
        self,
        processes: Sequence[int],
        line_of: Sequence[int],
        lines: int,
        bins: int,
        end_at_ns: int,
        begin_at_ns: int = 0,
    ) -> list[tuple[bytes, float]]:
        """Bytes read, bytes written and calls in each span of each line, to which processes are added up.

        As bytes of 16-bit numbers, line by line, and the value of one step of them.
        """

    def series_widths(self) -> list[tuple[int, int, int, int, int]]:
        """For each width of a span that the series of files has, the narrowest first.

        Width, begin of the first such span, end of the last, bytes and operations in all of them.
        """

    narrowest_span_ns: int  # of the series over time; 0: it has none
    def report_files(
        self, topmost: Frame, system: Frame, most: int
    ) -> tuple[int, list[tuple[str, str, tuple[bytes, ...], list[str] | None]], list[int], dict[str, Any]]:
        """The table `files` of a report, of records merged by path: the `most` that matter (file_table.h).

        Number of rows; columns (name, type, parts, values) of docs/formats/report-payload.md; the row of
        `topmost` behind each; files, bytes_read, bytes_written, time_ns and calls of those left out.
        """

class TraceLines:
    """How lines of `headrace trace cat` look; with `as_json` each is an object.

    `heads`: what stands behind the time, by location. `text`, `size` and `real` are called for texts, bytes
    and values of counters. `errors`: names of errno.
    """

    def __init__(
        self,
        heads: Sequence[str],
        as_json: bool,
        text: Callable[[str], str],
        size: Callable[[int], str],
        real: Callable[[float], str],
        errors: Mapping[int, str],
    ) -> None: ...

class TraceRows:
    def lines(self, lines: TraceLines, most: int) -> tuple[int, str, bool]:
        """The next rows as text, at most so many, how many they are, and whether there may be more.

        Also none where much is passed over, so that somebody can interrupt it.
        """

    def next(self, most: int) -> Frame:
        """The next rows, at most so many; none at the end. The columns are those of bindings/trace_frames.cc.

        `kind` is "io" for an operation with its end, else a kind of event. `place` and `duration_ns` are
        2**64 - 1 where they are not known.
        """

class Trace:
    """A trace (docs/formats/trace.md). Opening reads headers and names."""

    def __init__(self, path: bytes, job: int = 0) -> None: ...

    size: int
    closed: bool
    damaged_chunks: int  # of events, met so far
    copies: int  # chunks that are there twice, of which one is read
    tick_ns: int  # of the first chunk that can be read; 0: there is none
    def facts(self) -> dict[str, str]: ...
    def accounts(self) -> dict[str, int]: ...  # docs/formats/trace.md; of all threads together
    def clocks(self) -> list[dict[str, Any]]:
        """One a node (src/events/clocks.h): process, processes, is_reference, drift and what went wrong.

        `measured`: when, at_ns, added_ns, error_ns of each comparison that is used.
        """

    def clock_processes(self) -> list[int]: ...  # that the table `clocks` has rows of
    def messages_before_sent(self, aligned: bool) -> int:
        """How many arrive before they are sent, at least, with clocks aligned or not. Decodes everything."""

    def locations(self) -> Frame:
        """One row each, by rank, process and thread.

        process, thread, rank, host, pid, command, thread_name, events, lost, missing, lost_chunks, chunks,
        bytes, begin_at_ns, end_at_ns, described.
        """

    def references(self) -> Frame:
        """What events refer to, as tables tell it: function (its number), id, kind, layer, name, class."""

    def damage(self) -> list[tuple[int, int, str]]: ...
    def verify(self) -> None:
        """Reads everything, so that damage() is complete."""

    def stats(
        self,
        locations: Sequence[int],
        begin_at_ns: int = 0,
        end_at_ns: int = ...,
        calls: tuple[list[bytes], list[bytes], bool] = ...,
        by_file: bool = False,
    ) -> dict[str, Any]:
        """What the range touches of these locations: events, kinds, class_ns, traffic, and Frames.

        spans: kind, layer, name, class, calls, unfinished, errors, bytes, time_ns, own_ns, longest_ns.
        files: path, layer, calls, unfinished, errors, bytes_read, bytes_written, time_ns, longest_ns; without
        rows unless `by_file`. `calls` chooses what is in both: patterns of files, of functions, only errors.
        """

    def threads_of_mpi(self, locations: Sequence[int]) -> list[int]:
        """Which of these began inside of MPI_Init (src/events/mpi_threads.h)."""

    def check(self, finalized: list[int] = ...) -> dict[str, Any]:
        """Decodes everything: what does not agree, by amount (src/events/trace_check.h).

        `finalized`: ranks that came through MPI_Finalize, besides those of which the trace has it.
        """

    def file_totals(self) -> Frame:
        """Decodes everything: process, path, bytes_read, bytes_written (src/events/file_totals.h)."""

    def messages(self, begin_at_ns: int = 0, end_at_ns: int = ...) -> Frame:
        """Messages with both ends, by time (src/events/message_pairs.h). 2**64 - 1: not there."""

    def message_sums(self, begin_at_ns: int = 0, end_at_ns: int = ...) -> dict[str, Any]:
        """Messages by pair of ranks, and who waited (src/events/message_sums.h); `pairs`: a Frame."""

    def collective_waits(self, begin_at_ns: int = 0, end_at_ns: int = ...) -> dict[str, Any]:
        """Who waited for whom in them (src/events/collective_waits.h); `functions`, `ranks`: Frames."""

    def overview(
        self,
        columns: int,
        rows: int,
        begin_at_ns: int = 0,
        end_at_ns: int = 0,
        locations: Sequence[int] = (),
        first: Sequence[int] = (),
        most_decoded: int = ...,
        threads: int = 0,
    ) -> dict[str, Any]:
        """A picture in cells of time x locations (src/events/overview.h); `cells`: a Frame, a row a cell."""

    def rows(
        self,
        locations: Sequence[int],
        begin_at_ns: int = 0,
        end_at_ns: int = ...,
        calls: tuple[list[bytes], list[bytes], bool] = ...,
    ) -> TraceRows:
        """Events of these locations, by time; location after location of more than 128.

        `calls`, as of stats(), is what lines() gives; next() gives all.
        """

def unify_traces(sources: Sequence[bytes], target: bytes, threads: int = 0) -> dict[str, int]:
    """One file of a job's traces: chunks, events, bytes, resumed_bytes, damaged_chunks."""

def write_trace(
    path: bytes,
    locations: Sequence[tuple[int, int, int, str, int, int, object]],
    references: Sequence[tuple[str, str, str | bytes, str]],
    handles: Sequence[tuple[int, int, str | bytes]] = (),
    facts: Mapping[str, str] = ...,
    job: int = 0,
    tick_shift: int = 0,
) -> None:
    """Writes a trace; replaces the file.

    Locations are (process, thread, rank, host, pid, lost, events), events a buffer of (u64 time in ns,
    u64 size, u64 place, u32 kind << 24 | reference, u32 other); references (kind, layer, name, class).
    """

def write_perfetto(
    trace: bytes,
    job: int,
    output: bytes,
    locations: Sequence[int],
    begin_at_ns: int,
    end_at_ns: int,
    told: Callable[[int], None] | None,
) -> dict[str, Any]:
    """Writes a trace for Perfetto as a new file; arguments and result are those of _otf2.write."""

class TraceTables:
    """The events of a trace as rows of tables (docs/interchange.md). Arguments as of write_perfetto."""

    def __init__(
        self, trace: bytes, job: int, locations: Sequence[int], begin_at_ns: int, end_at_ns: int
    ) -> None: ...
    def next(self, most: int) -> list[Frame]:
        """The next rows of spans, messages, collectives and counters, about so many; none in any at the end.

        2**64 - 1 stands for null.
        """

    def functions(self) -> Frame: ...
    def handles(self) -> Frame:
        """Those that rows named so far."""

    def told(self) -> dict[str, Any]:
        """The result of write_perfetto, so far."""

class Anonymizer:
    """Replaces names by tokens. Logs that share one have the same tokens for the same names."""

    def __init__(self) -> None: ...
    def path(self, path: bytes) -> str: ...

def anonymize(source: bytes, target: bytes) -> dict[str, Any]:
    """Writes a log again without names; a file at `target` is replaced.

    {jobs, left_out: [texts], damage: as of Log}.
    """

outlier_score: float  # a row with a higher one is an outlier
least_group: int  # rows; smaller groups stay outliers

def cluster(
    table: object,
    dims: int,
    doubles: bool,
    k: int = 0,
    seed: int = 1,
    normalisation: str = "spread",
    distance: str = "manhattan",
) -> dict[str, Any]:
    """Clusters of the rows of a buffer of floats or doubles (src/cluster/cluster.h).

    `assigned` and `score` are bytes of 32-bit numbers, one a row; `worst`: (row, cluster, dimension, score).
    """

def rows_of_columns(columns: Sequence[object]) -> bytearray:
    """Columns, buffers of doubles, as rows of doubles."""

def match(runs: Sequence[tuple[Frame, str, int]]) -> Frame:
    """The same files of several runs side by side; a run is (merged frame, directory, side). See match.h."""

def match_counts(matched: Frame, side: int) -> dict[str, Any]:
    """How the files of a side and of side 0 were matched."""

def most_changed(matched: Frame, term: str, sides: int, limit: int) -> list[int]:
    """Rows in which "time_ns", "bytes" or "calls" of any side differs most from side 0; "path": by name."""

def counters() -> list[dict[str, str]]: ...
def flags() -> list[tuple[str, int, str]]: ...
def file_kinds() -> list[str]: ...  # of the column `kind` of `files`
def function_modules() -> dict[str, str]:
    """The module of each intercepted function in functions.def."""

def access_pattern(consecutive: int, forward: int, backward: int) -> str | None:
    """Where operations began, compared with the end of the previous one; None: there were no two."""

def path_tree(
    by_path: Frame, most: int
) -> list[tuple[int | None, str, int, float, float, float, float, float]]:
    """The directories of records merged by path, cut down to `most` nodes, parents before children.

    (index of the parent, name, how many it stands for or 0, files, bytes read, bytes written, ns, calls).
    """

def schema() -> dict[str, list[dict[str, str]]]: ...
def write_tables(path: bytes, tables: Mapping[str, Mapping[str, Sequence[Any]]], job: int = 0) -> None:
    """Writes a job log of any content, for tests. Replaces the file."""

def summarize_logs(
    paths: Sequence[bytes], threads: int
) -> tuple[Frame, Frame, Frame, Frame, Frame, list[tuple[int, bytes]]]:
    """Of job logs: logs, instances, files, access_sizes, facts; and (place, reason) of bad ones.

    Columns are those of src/bindings/log_summary_rows.cc; -2**63 stands for null, places are
    those in `paths`.
    """

def log_contents(paths: Sequence[bytes], threads: int) -> list[str]:
    """Of each file what the column `content` of its logs would be; "" where it cannot be read."""

def write_made_log(
    path: bytes,
    id: int,
    facts: Sequence[tuple[str, str]],
    programs: Sequence[tuple[str, Sequence[int]]],
    files: Sequence[tuple[str, Sequence[str], Sequence[int]]],
    mount: str,
    mount_type: str,
) -> None:
    """Writes the job log of a run that never was (src/workload/facility/job_log.h). Replaces the file."""

def convert(log: Log, format: str, output: bytes) -> dict[str, int]:
    """Writes one job as a log of another format, "hr" or "darshan"; a file at `output` is replaced.

    {processes, records, bytes, mpi_files, unranked_bytes} that the format has no place for.
    """

def convert_to_trace(log: Log, output: bytes) -> dict[str, int]:
    """Writes the traced operations of a job as a trace; a file at `output` is replaced.

    {operations, lanes, left_out, backward, untraced}: src/convert/darshan/to_trace.h.
    """

def demangle(symbol: str) -> str:
    """The name of a C++ function in its own language; any other symbol as it is."""
