"""The tables of a catalog: columns with their types, units and meanings (docs/formats/catalog.md).

One definition for everything that writes, reads or documents them. Types are those that every engine has
(DuckDB, Spark, Polars): signed 64-bit integers, doubles, booleans, text, and points in time in
microseconds UTC. Columns may be null where a source does not know, never where it knows that there was none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pyarrow

__all__ = ["FORMAT", "TABLES", "Column", "Table", "arrow_schema"]

FORMAT = 1  # of the catalog's directory; a reader refuses greater ones

INTEGER, REAL, FLAG, TEXT, TIME = "int64", "double", "bool", "text", "time"


class Column(NamedTuple):
    name: str
    type: str  # "int64", "double", "bool", "text" or "time"
    unit: str  # "bytes", "ns", "ms", "count", or "" where the meaning says it all
    doc: str


class Table(NamedTuple):
    name: str
    month: str  # the column whose month the parts lie by; "": not split
    doc: str
    columns: tuple[Column, ...]


def _table(name: str, month: str, doc: str, columns: str) -> Table:
    """Each line of `columns`: NAME TYPE UNIT|- MEANING."""
    rows = []
    for line in columns.strip().splitlines():
        column, kind, unit, meaning = line.split(None, 3)
        rows.append(Column(column, kind, "" if unit == "-" else unit, meaning))
    return Table(name, month, doc, tuple(rows))


_LOGS = _table(
    "logs",
    "start",
    "One row a job in a job log: what one run of capture recorded.",
    """
    log int64 - id: hash of the log's content and the job's place in it
    source text - path of the log when it was added
    format text - headrace or darshan
    scheduler text - slurm, pbs, cobalt and so on; null where none ran it
    scheduler_job text - the scheduler's id of the job; null where none ran it
    user text - name or number of the user; null in logs without names
    executable text - path of the program with the most processes
    command text - what was run
    host text - where the launcher ran
    start time - when it began
    end time - when it ended
    elapsed_ns int64 ns from start to end
    processes int64 count processes that ran at the same time (ranks of parallel programs where there are any)
    ranks int64 count ranks of the largest parallel program; 0: there is none
    nodes int64 count different hosts; null where the log does not say
    instances int64 count runs of parallel programs, or 1
    complete bool - nothing is missing
    why_incomplete text - what is missing; null when complete
    bytes_read int64 bytes read from files by calls of POSIX and stdio, which are disjoint
    bytes_written int64 bytes written likewise
    reads int64 count read calls of POSIX and stdio on files
    writes int64 count write calls likewise
    read_ns int64 ns time in them, over all processes
    write_ns int64 ns time in them, over all processes
    meta_ns int64 ns time in every other call on files, over all processes
    slowest_ns int64 ns reading, writing and metadata time of the slowest process; of instances that ran one after another the sum, of those at a time the greatest
    slowest_exact bool - false: shared files count from first open to last I/O, or with the time of their slowest rank as Darshan says it, since the log does not know ranks
    estimated_ns int64 ns what slowest_ns would be if of files that all ranks share only the span from first open to last I/O were known; null in logs of several programs, or of none that is parallel
    files int64 count different files, by path
    files_read int64 count files that were read
    files_written int64 count files that were written
    files_read_written int64 count files that were both
    files_new int64 count written files that the job created or that were empty before; null where the log does not say
    files_old int64 count written files that had data before; null likewise; the rest of files_written is not known
    creates int64 count files that the job created; null where the log does not say
    opens int64 count opens
    seeks int64 count seeks
    sequential int64 count reads and writes at or behind the end of the process's last one on that file
    consecutive int64 count the part of them exactly at that end
    unaligned int64 count reads and writes whose offset is no multiple of the alignment that capture used; null where the log does not say
    judged int64 count reads and writes that sequential and unaligned are a part of (those of POSIX)
    uses_posix bool - files were read, written or created of which POSIX is the highest interface
    uses_stdio bool - by streams
    uses_mpiio bool - by MPI-IO
    uses_hdf5 bool - by HDF5
    uses_pnetcdf bool - by PnetCDF
    bytes_posix int64 bytes of the files whose highest interface is POSIX
    bytes_stdio int64 bytes of those of streams
    bytes_mpiio int64 bytes of those of MPI-IO
    bytes_hdf5 int64 bytes of those of HDF5
    bytes_pnetcdf int64 bytes of those of PnetCDF
    bytes_unique int64 bytes of files that one process uses (N:N)
    bytes_partial int64 bytes of files that some processes of their program use (N:M)
    bytes_shared int64 bytes of files that all of them use (N:1)
    files_unique int64 count files that one process uses
    files_partial int64 count files that some use
    files_shared int64 count files that all use
    mpiio_operations int64 count reads and writes of MPI-IO
    mpiio_collective int64 count the collective ones of them
    io_ranks int64 count ranks that read or wrote data; null where the log does not say
    io_rank_last int64 - the highest of them; -1: none; null where the log does not say
    bytes_rank0 int64 bytes read and written by rank 0; null where the log does not say
    bytes_unattributed int64 bytes counted by processes and in no file
""",
)

_INSTANCES = _table(
    "instances",
    "start",
    "One row a run of a parallel program, or of a program that is none, in a log.",
    """
    log int64 - row of logs
    instance int64 - which one, from 0
    executable text - path of the program
    start time - when it began
    end time - when it ended
    processes int64 count its processes
    nodes int64 count different hosts; null where the log does not say
    files int64 count different files
    bytes_read int64 bytes as in logs
    bytes_written int64 bytes as in logs
    slowest_ns int64 ns as in logs
""",
)

_FILES = _table(
    "files",
    "first_open",
    "One row a file that a run used, over all its processes and layers.",
    """
    log int64 - row of logs
    instance int64 - row of instances; -1: several
    path text - as opened, as UTF-8 (other bytes as U+FFFD)
    mount text - point of the mount it lies on; null where not known
    file_system text - type of that file system; null where not known
    interface text - highest one that used it: posix, stdio, mpiio, hdf5 or pnetcdf
    ranks int64 count processes that used it
    sharing text - unique, partial or shared
    rank int64 - which one, if it is one; else -1
    opens int64 count opens
    reads int64 count as in logs
    writes int64 count as in logs
    bytes_read int64 bytes as in logs
    bytes_written int64 bytes as in logs
    read_ns int64 ns as in logs
    write_ns int64 ns as in logs
    meta_ns int64 ns as in logs
    seeks int64 count as in logs
    sequential int64 count as in logs
    consecutive int64 count as in logs
    unaligned int64 count as in logs
    mpiio_operations int64 count as in logs
    mpiio_collective int64 count as in logs
    created bool - the job created it; null where not known
    new bool - created, or empty before; null where not known
    extent int64 bytes furthest byte that was read or written, or the size when it was opened if that is more
    first_open time - when it was first opened; the log's start where not known
    last_io time - end of the last read or write; null: none
    folded int64 count files that this row stands for because capture had no memory for each; 0: it is one file
""",
)

_ACCESS_SIZES = _table(
    "access_sizes",
    "",
    "How many reads and writes of a run had which size.",
    """
    log int64 - row of logs
    layer text - posix, stdio, mpiio, hdf5 or pnetcdf
    direction text - read or write
    bucket int64 - b holds the sizes in (2^(b-1), 2^b] bytes, 0 holds 0 and 1; logs of Darshan: see docs/formats/catalog.md
    count int64 count operations
""",
)

_SCHEDULER_JOBS = _table(
    "scheduler_jobs",
    "start",
    "One row a job that the batch scheduler ran, captured or not.",
    """
    scheduler text - slurm, pbs, cobalt or the name that was given with a CSV file
    job text - its id of the job
    user text - who
    account text - allocation that was charged; projects says which project that is
    queue text - queue or partition
    name text - of the job
    submit time - when it was handed in
    start time - when it began; rows without a start are not kept
    end time - when it ended; null while it runs
    state text - completed, failed, cancelled, timeout, running or another word of the scheduler's in lower case
    exit_status int64 - null where not known
    nodes int64 count nodes it had
    cores int64 count cores it had
    processes int64 count tasks; null where not known
    command text - program or script, where the records have it
""",
)

_SAMPLES = _table(
    "samples",
    "start",
    "One row a device and interval: what it did from start to end.",
    """
    host text - server
    boot text - the kernel's boot id; empty where not known
    kind text - block, lustre_ost, lustre_mdt or lustre_llite
    device text - name of the device or target
    start time - begin of the interval
    end time - its end
    reads int64 count completed reads; null where not known
    read_bytes int64 bytes read; null where not known
    writes int64 count completed writes; null where not known
    write_bytes int64 bytes written; null where not known
    read_ms int64 ms time that reads took, each counted; null where not known
    write_ms int64 ms time that writes took; null where not known
    busy_ms int64 ms time in which something was going on; null where not known
    queue_ms int64 ms the same, times how many were going on; null where not known
    metadata int64 count metadata operations; null where not known
""",
)

_SAMPLE_GAPS = _table(
    "sample_gaps",
    "start",
    "Spans of time for which samples are not there, and why.",
    """
    host text - server
    device text - empty: all of them
    start time - end of the last sample before
    end time - begin of the first one after
    reason text - restart, reboot, reset, gone, clock, missed, lost or imported
""",
)

_SERVER_JOBS = _table(
    "server_jobs",
    "start",
    "What a server of Lustre counted for one job (jobstats) in an interval.",
    """
    host text - server
    device text - target
    job text - the job id that jobstats has
    start time - begin of the interval
    end time - its end
    reads int64 count reads
    read_bytes int64 bytes read
    writes int64 count writes
    write_bytes int64 bytes written
    metadata int64 count metadata operations
""",
)

_SCANS = _table(
    "scans",
    "",
    "One row a walk through a file system.",
    """
    scan int64 - id: hash of the scan's content
    root text - where it began
    file_system text - name that was given to it, else the root
    host text - where it ran; several are joined by commas
    start time - when it began: ages are relative to this
    end time - when it ended
    files int64 count regular files, those with several links once
    directories int64 count directories
    symlinks int64 count symbolic links
    others int64 count devices, pipes and sockets
    bytes int64 bytes sizes of the files
    capacity int64 bytes allocated to them
    largest int64 bytes size of the largest file
    unreadable int64 count directories that could not be read; null where not known
    vanished int64 count entries that were gone when looked at; null where not known
    complete bool - nothing is missing; null where not known
    source text - path of the scan when it was added
""",
)

_SCAN_HISTOGRAMS = _table(
    "scan_histograms",
    "",
    "Files of a scan by size, age and the like, for all and by owner.",
    """
    scan int64 - row of scans
    histogram text - size, capacity, modified_age, accessed_age, changed_age, directory_entries, directory_files, name_length, links or symlink_length
    owned_by text - all, user, group or project
    owner text - which one; empty for all
    bucket int64 - number of the bin
    low int64 - least value in it, in bytes, seconds, entries or characters; null: below all others (ages of future times)
    high int64 - least value beyond it; null: there is no end
    files int64 count files (or directories, or links) in it
    bytes int64 bytes sum of their sizes (capacity: of what is allocated); null where not known
""",
)

_SCAN_PROBLEMS = _table(
    "scan_problems",
    "",
    "Directories that a scan could not read.",
    """
    scan int64 - row of scans
    path text - as UTF-8 (other bytes as U+FFFD)
    reason text - why
""",
)

_CALENDAR = _table(
    "calendar",
    "",
    "What else happened: maintenance, outages, lost samples.",
    """
    start time - begin
    end time - end
    kind text - maintenance, outage, lost or note
    text text - what it was
    source text - the file that says so: row of sources; null: from elsewhere
""",
)

_PROJECTS = _table(
    "projects",
    "",
    "Which accounts, users and paths belong to which project; the last row that fits counts.",
    """
    project text - its name
    label text - what it is called in a study, such as its science domain; null: its name
    account text - allocation of the scheduler's; null: any
    user text - user; null: any
    group text - its files are the project's in scans (`headrace scan --projects`); null: any
    path text - its files lie below; null: not said
    place int64 - greater for rows that were added later
    source text - the file that says so: row of sources; null: from elsewhere
""",
)

_DEVICES = _table(
    "devices",
    "",
    "Which device belongs to which server and file system; the last row that fits counts.",
    """
    host text - pattern of hosts, as of a shell
    device text - pattern of devices
    server text - name of the server; null: the host
    file_system text - name of the file system; empty: of none, such as local disks
    place int64 - greater for rows that were added later
    source text - the file that says so: row of sources; null: from elsewhere
""",
)

_UNREAD = _table(
    "unread",
    "",
    "Files that were to be added and could not be read, or not in whole, when it was last tried.",
    """
    path text - of the file, absolute, as UTF-8 (other bytes as U+FFFD)
    partly bool - true: the rest of it was added
    why text - what was wrong
    bytes int64 bytes its size; null where not known
    modified time - when it was changed last; null likewise
    tried time - when that was found
""",
)

_SOURCES = _table(
    "sources",
    "",
    "What was added: one row a file, or a call of write_tables; a written file (TOML) that was changed and added again is there once.",
    """
    source text - hash of its content (and of TOML's path): what is added once is not added again
    path text - where it was; of TOML absolute
    kind text - job log, samples, iostat, sadf, ldms, scan, fsstats, sacct, pbs, cobalt, csv, parquet, toml or tables
    bytes int64 bytes its size
    added time - when
""",
)

_SITE = _table(
    "site",
    "",
    "Facts about the site; the last row of a key counts.",
    """
    key text - name, cores_per_node, processes_per_node, peak_bytes_per_s, deployed and others
    value text - as text
    place int64 - greater for rows that were added later
    source text - the file that says so: row of sources; null: from elsewhere
""",
)

_CEILINGS = _table(
    "ceilings",
    "",
    "The most that a job could move per node and second, and why.",
    """
    name text - of the limit
    mib_per_s_per_node double - the limit
    nodes_least int64 count holds for jobs of at least so many nodes; null: for all
    text text - where it comes from
    source text - the file that says so: row of sources; null: from elsewhere
""",
)

# What people write by hand: a file of these that was changed and is added again takes the place of what it said.
WRITTEN = ("calendar", "projects", "devices", "site", "ceilings")

# What the kinds of entries of the calendar are; whatever else somebody wrote there may be a name.
CALENDAR_KINDS = ("maintenance", "outage", "lost", "note")
# Likewise why monitors and importers have no sample, and what becomes of schedulers' jobs.
GAP_REASONS = ("restart", "reboot", "reset", "gone", "clock", "missed", "lost", "imported")
JOB_STATES = (
    "completed", "failed", "cancelled", "timeout", "running", "pending", "preempted", "requeued", "suspended",
    "node_fail", "boot_fail", "deadline", "out_of_memory", "unknown", "done", "exit",
)  # fmt: skip

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        _LOGS, _INSTANCES, _FILES, _ACCESS_SIZES, _SCHEDULER_JOBS, _SAMPLES, _SAMPLE_GAPS, _SERVER_JOBS, _SCANS,
        _SCAN_HISTOGRAMS, _SCAN_PROBLEMS, _CALENDAR, _PROJECTS, _DEVICES, _SITE, _CEILINGS, _UNREAD, _SOURCES,
    )
}  # fmt: skip


def arrow_schema(table: str) -> pyarrow.Schema:
    """The columns of a table as Arrow has them; unit and meaning are each field's metadata."""
    import pyarrow

    types = {
        INTEGER: pyarrow.int64(),
        REAL: pyarrow.float64(),
        FLAG: pyarrow.bool_(),
        TEXT: pyarrow.string(),
        TIME: pyarrow.timestamp("us", tz="UTC"),
    }
    return pyarrow.schema(
        pyarrow.field(column.name, types[column.type], metadata={"unit": column.unit, "doc": column.doc})
        for column in TABLES[table].columns
    )
