"""Job logs as tables.

`open` gives a JobLog, whose tables are decoded by native code when they are first asked for and handed to
pyarrow without copying. Column names, units and meanings: `counters()`, the metadata of each column, and
docs/python.md.
"""

from __future__ import annotations

import collections
import json
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from headrace import _native
from headrace._errors import LogForeignError, LogUnreadableError, MissingPackageError, UsageError
from headrace._packages import install_extra, not_usable

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = [
    "LIBRARY_LAYERS",
    "SYSTEM_LAYERS",
    "Counter",
    "Damage",
    "Flag",
    "JobLog",
    "counters",
    "flags",
    "open",
    "units",
]

# What a program asks of the system: disjoint, so that their sums add up.
SYSTEM_LAYERS = ("posix", "stdio")
# Libraries above, the highest first: the layers below count the same bytes again.
LIBRARY_LAYERS = ("hdf5", "pnetcdf", "mpiio")

# Facts of the table `job` that are numbers.
_INTEGERS = {"format_version", "user_id", "start_utc_ns", "end_utc_ns", "exit_status"}

# Tables of event traces alone.
_OF_TRACES = {"references", "locations", "handles", "accounts", "clocks"}

# Facts of one of several launchers that wrote the log begin so.
_PART = "part."
_TOLD = 3  # different reasons why parts are not complete


class Counter(NamedTuple):
    """One counter of a file record, as counters.def has it."""

    name: str
    unit: str  # "count", "bytes", "ns", "at_ns" (since the job's start; 0 = never) or "flags"
    merge: str  # "sum", "max", "first" (least that is not 0), "last" (greatest), "bits" (or), "with(NAME)"
    doc: str


_T = TypeVar("_T")

# Counters that a flag of a record takes the meaning from: they are null in tables, and 0 as stored.
_ALIGNMENT = (
    "reads_unaligned_file",
    "writes_unaligned_file",
    "reads_unaligned_memory",
    "writes_unaligned_memory",
)
NOT_RECORDED = {
    "errors_not_recorded": ("read_errors", "write_errors", "meta_errors"),
    "longest_read_not_recorded": ("read_max_ns", "read_max_size"),
    "longest_write_not_recorded": ("write_max_ns", "write_max_size"),
    "longest_other_not_recorded": ("meta_max_ns",),
    "alignment_not_recorded": _ALIGNMENT,
    "alignment_of_both": _ALIGNMENT,
    "calls_not_recorded": ("closes",),
}


class Flag(NamedTuple):
    """One bit of the counter `flags`."""

    name: str
    bit: int
    doc: str


class Damage(NamedTuple):
    """A part of a log that could not be used."""

    offset: int  # bytes from the start of the file
    bytes: int  # how many are lost
    reason: str


def counters() -> list[Counter]:
    """The counters of a file record, in the order of their columns."""
    result = []
    for row in _native.counters():
        merge = f"with({row['with']})" if row["merge"] == "with" else row["merge"]
        result.append(Counter(row["name"], row["unit"], merge, row["doc"]))
    return result


def flags() -> list[Flag]:
    """The bits of the counter `flags`."""
    return [Flag(*row) for row in _native.flags()]


def units(table: pyarrow.Table) -> dict[str, str]:
    """The unit of each column of a table that has one; as in `Counter`."""
    return {
        field.name: field.metadata[b"unit"].decode()
        for field in table.schema
        if b"unit" in (field.metadata or {})
    }


def open(
    path: str | os.PathLike[str],
    job: int | None = None,
    anonymize: bool = False,
    mpi_files: bool = False,
) -> JobLog:
    """Opens a job log, or a Darshan log as one (docs/darshan.md).

    `job`: which one, from 1, of a file that holds several because logs were concatenated.

    `anonymize`: show tokens in place of paths, arguments, hosts and users; other ones each time.

    `mpi_files`: reports and figures count the MPI library's own files (docs/mpi-files.md) among the
    program's; tables always have them.

    Raises a LogError when nothing in the file can be used, or it is an event trace (`open_trace`), UsageError
    when `job` is missing or wrong.
    """
    log = JobLog(path, job, _native.Anonymizer() if anonymize else None, mpi_files)
    try:
        refuse_traces(log)
    except LogForeignError:
        log.close()
        raise
    return log


def run_time_ns(facts: dict[str, Any], last_at_ns: int, most_ns: int | None = None) -> int:
    """From the job's facts, or to `last_at_ns`, the last sign of life of its processes.

    A launcher that lived through the job wrote when it ended, and how. Where nobody did, the log's end is the
    moment at which it was gathered, which may be days later. `most_ns`: no job takes longer.
    """
    start, end = facts.get("start_utc_ns"), facts.get("end_utc_ns")
    gathered_later = facts.get("exit_status") is None and facts.get("complete") == "yes" and last_at_ns > 0
    if gathered_later or not isinstance(start, int) or not isinstance(end, int):
        return last_at_ns
    told = end - start >= 0 and (most_ns is None or end - start <= most_ns)
    return end - start if told else last_at_ns


class JobLog:
    """What was captured of one job. Tables are pyarrow Tables; empty when the log has no rows of that kind.

    Text that is not UTF-8 is shown with ``\\xHH`` for each invalid byte; `raw` gives the bytes.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        job: int | None = None,
        anonymizer: _native.Anonymizer | None = None,
        mpi_files: bool = False,
    ) -> None:
        self.path = os.fspath(path)
        self.mpi_files = mpi_files
        if job is not None and job < 1:
            raise UsageError(f"{self.path}: jobs in a file are numbered from 1, not {job}")
        refuse_pipes(self.path)
        self._log: _native.Log | None = _native.Log(os.fsencode(self.path), job or 0, anonymizer)
        if anonymizer is not None:
            self.path = anonymizer.path(os.fsencode(self.path))
        self._tables: dict[str, pyarrow.Table] = {}
        self._found: dict[str, Any] = {}

    def once(self, name: str, find: Callable[[], _T]) -> _T:
        """What `find` gives, which is asked once, for what many figures need: nobody changes it."""
        if name not in self._found:
            self._found[name] = find()
        found: _T = self._found[name]
        return found

    def close(self) -> None:
        """Forgets the file. Tables already handed out stay valid."""
        self._log = None
        self._tables.clear()
        self._found.clear()

    def __enter__(self) -> JobLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def native(self) -> _native.Log:
        """The reader behind this log; its interface may change with any version."""
        if self._log is None:
            raise UsageError(f"{self.path}: the log is closed")
        return self._log

    @property
    def job(self) -> dict[str, Any]:
        """Facts about the job: `command` as a list, times, user and status as integers, the rest as text.

        Where several launchers wrote the log, `complete`, `exit_status` and `end_utc_ns` are of all of them.
        """
        return job_facts({row["key"]: row["value"] for row in self.native.frame("job").rows()})

    @property
    def processes(self) -> pyarrow.Table:
        """One row a process image; an exec begins a new one."""
        return self.table("processes")

    @property
    def files(self) -> pyarrow.Table:
        """One row a process, path, kind and layer, with every counter."""
        return self.table("files")

    @property
    def sizes(self) -> pyarrow.Table:
        """Operations by size, in powers of two, of each row of `files`."""
        return self.table("sizes")

    @property
    def common(self) -> pyarrow.Table:
        """The most common sizes and strides of each row of `files`."""
        return self.table("common")

    @property
    def profiles(self) -> pyarrow.Table:
        """Calls, bytes and time of each process and function."""
        return self.table("profiles")

    @property
    def series(self) -> pyarrow.Table:
        """Bytes moved over time."""
        return self.table("series")

    @property
    def segments(self) -> pyarrow.Table:
        """Operations one by one, where the log has a trace of them."""
        return self.table("segments")

    @property
    def mounts(self) -> pyarrow.Table:
        """The mounts that files lie on."""
        return self.table("mounts")

    @property
    def gaps(self) -> pyarrow.Table:
        """What happened and is in no other table, with its amount."""
        return self.table("gaps")

    @property
    def tables(self) -> list[str]:
        """Names of all tables: those every job log has, then those only this file has."""
        known = list(_native.schema())
        return known + [name for name in self.native.tables() if name not in known]

    def table(self, name: str) -> pyarrow.Table:
        """A table by its name. Raises LogNotFoundError."""
        if name not in self._tables:
            self._tables[name] = _with_nulls(_to_arrow(self.native.frame(name)))
        return self._tables[name]

    def raw(self, name: str) -> pyarrow.Table:
        """A table as stored: names as ids (see the table `names`), text as bytes. Raises LogNotFoundError."""
        return _to_arrow(self.native.raw(name))

    def pandas(self, name: str) -> pandas.DataFrame:
        """A table as a pandas DataFrame, with the units of its columns as `attrs["units"]`.

        Raises LogNotFoundError, and MissingPackageError without pandas.
        """
        try:
            import pandas  # noqa: F401
        except ImportError as error:
            raise MissingPackageError(f"pandas is not installed: {install_extra('pandas')}") from error
        table = self.table(name)
        frame = table.to_pandas()
        frame.attrs["units"] = units(table)
        return frame

    def files_by_path(self) -> pyarrow.Table:
        """`files` merged over processes by the rules of `counters()`: one row a path and kind.

        Of the layers posix and stdio, as in `merged`. `processes` counts those that used the file;
        `final_path` is the last new name any of them gave it.
        """
        return self.merged("path")

    def merged(
        self,
        by: str = "path",
        process: int | None = None,
        kinds: Iterable[str] = (),
        layers: Iterable[str] | None = None,
        whose: str = "",
    ) -> pyarrow.Table:
        """File records merged by "path", "process", "directory", "mount", "kind", "layer" or "all".

        `process`: the id of one process image alone. `kinds`: only records of these kinds. `layers`: only
        records of these layers, () for all; by default of the system's, posix and stdio, because libraries
        above count the same bytes again; "layer" keeps them apart and has all. `whose`: "program" without
        the MPI library's own files (docs/mpi-files.md), as reports count, "mpi" of these alone. Raises
        UsageError.
        """
        if layers is None:
            layers = () if by == "layer" else SYSTEM_LAYERS
        kinds, layers = list(kinds), list(layers)
        self._known("kind", kinds, _native.file_kinds())
        self._known("layer", layers, [*SYSTEM_LAYERS, *LIBRARY_LAYERS])
        chosen = [] if process is None else [process]
        return _with_nulls(_to_arrow(self.native.merge(by, chosen, kinds, layers, whose)))

    def _known(self, what: str, asked: list[str], known: list[str]) -> None:
        """Raises UsageError for a word that neither this version nor the log has."""
        if set(asked) <= set(known):
            return
        there = {row[what] for row in self.native.merge(what, [], [], [], "").rows(None, [what])}
        known = [*known, *sorted(there - set(known))]
        if wrong := next((word for word in asked if word not in known), None):
            raise UsageError(f"there are no records of {what} {wrong!r}; choose of {', '.join(known)}")

    @property
    def damage(self) -> list[Damage]:
        """What could not be used of the tables read so far; `verify` looks at the whole file."""
        return [Damage(*row) for row in self.native.damage()]

    def verify(self) -> list[Damage]:
        """Reads and checks the whole file and returns all damage."""
        self.native.verify()
        return self.damage

    @property
    def closed_properly(self) -> bool:
        """Whether the log was finished; if not, its writer was killed or is at work, or the file was cut."""
        return self.native.closed

    def __repr__(self) -> str:
        if self._log is None:
            return f"<JobLog {self.path!r}, closed>"
        facts = self.job
        command = " ".join(facts["command"]) if isinstance(facts.get("command"), list) else "unknown command"
        kinds = {"processes": "process images", "files": "file records"}
        rows = ", ".join(f"{len(self.native.frame(name))} {text}" for name, text in kinds.items())
        damage = f", {len(self.damage)} damaged places" if self.damage else ""
        return f"<JobLog {self.path!r}: {command[:60]!r}, {rows}{damage}>"


def job_facts(texts: dict[str, str]) -> dict[str, Any]:
    """What `JobLog.job` has, of the rows of the table `job`."""
    return _of_all_parts({key: _fact(key.rpartition(".")[2], value) for key, value in texts.items()})


def refuse_traces(log: JobLog) -> None:
    """Raises LogForeignError for an event trace."""
    tables = set(log.native.tables())
    if tables & {"processes", "files"} or not (tables & _OF_TRACES or "trace_of" in log.job):
        return
    raise LogForeignError(
        f"{log.path}: a trace, and no job log. Use `headrace trace info` on it, and `cat`, `stats`, "
        "`overview`, `verify` or `export` in place of `info`, or `headrace.open_trace` in Python; its job "
        "log, NAME.hr, lies beside NAME.trace.hr"
    )


def refuse_pipes(path: str) -> None:
    """Readers go back and forth in a log, which no pipe allows. The native reader finds all other errors."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        raise LogUnreadableError(
            f"{path}: is a pipe, and pipes are not supported: save the log to a file and name that"
        )


def _fact(key: str, value: str) -> Any:
    """A fact in its natural type; left as text when a damaged or foreign writer put something else there."""
    try:
        if key in _INTEGERS:
            return int(value)
        if key == "command":
            words = json.loads(value)
            return [str(word) for word in words] if isinstance(words, list) else value
    except (ValueError, RecursionError):
        pass
    return value


def _of_all_parts(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts in which what each launcher says of its own part (docs/formats/job-log.md) is put together."""
    parts = [key for key in facts if key.startswith(_PART) and "." not in key[len(_PART) :]]
    if not parts:
        return facts
    whole = {key: value for key, value in facts.items() if not key.startswith(_PART)}
    for name in ("exit_status", "end_utc_ns"):
        values = [facts.get(f"{part}.{name}", whole.get(name)) for part in parts] + [whole.get(name)]
        whole[name] = max((value for value in values if isinstance(value, int)), default=None)
    reasons = collections.Counter(
        str(facts[part]).removeprefix("no: ") for part in parts if facts[part] != "yes"
    )
    alone = whole.setdefault("complete", "yes")
    if alone == "yes" and reasons:
        of = f" of {len(parts)} launchers" if len(parts) > 1 else ""
        told = [reason + (f" ({times}{of})" if of else "") for reason, times in reasons.most_common(_TOLD)]
        more = [f"and {len(reasons) - _TOLD} other reasons"] if len(reasons) > _TOLD else []
        whole["complete"] = "no: " + "; ".join(told + more)
    return whole


def _with_nulls(table: pyarrow.Table) -> pyarrow.Table:
    """The table with null for counters of file records that nobody recorded."""
    if not {"flags", "reads", "meta_ns"} <= set(table.column_names):
        return table
    import pyarrow
    from pyarrow import compute

    bits = {flag.name: 1 << flag.bit for flag in flags()}
    for flag, counters in NOT_RECORDED.items():
        lacking = compute.bit_wise_and(table["flags"], pyarrow.scalar(bits[flag], pyarrow.uint64()))
        is_known = compute.equal(lacking, pyarrow.scalar(0, pyarrow.uint64()))
        if compute.all(is_known).as_py() in (True, None):
            continue
        for counter in set(counters) & set(table.column_names):
            place = table.schema.get_field_index(counter)
            nothing = pyarrow.scalar(None, table.schema.field(place).type)
            column = compute.if_else(is_known, table[counter], nothing)
            table = table.set_column(place, table.schema.field(place).with_nullable(True), column)
    return table


def _to_arrow(frame: _native.Frame) -> pyarrow.Table:
    try:
        import pyarrow
    except ImportError as error:
        raise MissingPackageError(not_usable("pyarrow", error)) from error
    return pyarrow.Table.from_batches([pyarrow.record_batch(frame)])
