"""What each figure means, one sentence each: shown by reports, listed in docs/reference/figures.md.

Keys are those of `headrace show --json` (docs/show.md) and of the tables of a report; counters that both show
under their own names are defined in src/model/counters.def, and `definitions` adds them.
"""

from __future__ import annotations

from headrace import _native

# KEY | UNIT | SENTENCE, continued on indented lines. Units: ns, at_ns (nanoseconds since the job began),
# bytes, bytes/s, count, share (a fraction of 1) or - (none).
FIGURES = """
# the job
run_ns | ns | From the start to the end of the command or of the process; to the last sign of life where
    no end is known.
run_at_least | - | Whether that is only a lower bound: a signal ended the process and nobody saw when.
processes_at_least | count | Captured processes that were killed unseen: no share of their lives is known.
exit_status | - | As a shell gives it: 128 and the signal for what a signal ended.
complete | - | Whether every captured process was gathered and the whole log can be read.
process_ids | count | Processes as the system counts them; a program that executes another one stays one
    process.
processes_captured | count | Program images that were captured; executing another program begins a new
    image.
damaged_bytes | bytes | Parts of the log that cannot be used; every figure is then at least what is shown.

# sums
files | count | Distinct paths; a path that was used as a directory is none. Files folded into the sum of
    their directory count too.
files_are | - | How well that number is known: counted; estimated, within some 5 %, where files were
    folded into sums, perhaps several times; at most, where nothing tells which ones they folded.
in_no_file | - | Of these sums what is in the row of no file: calls, bytes and times.
directories | count | Distinct paths that were read or changed as directories.
calls | count | Calls that the program made and that succeeded: reads, writes and all others.
errors | count | Calls that failed.
bytes | bytes | Bytes that the calls moved; of failed and short calls what they did move.
bytes_per_second | bytes/s | Bytes by the time inside the calls that moved them; calls of several threads
    at once count each.
slowest_ns | ns | The longest single call.
why_not | - | Why a speed is not known: which rank was slowest or how long calls took is not recorded, or
    bytes moved behind the calls.
darshan_log | - | Whether by_interface is Darshan's own estimate, with standard streams and the MPI
    library's files.
io_ns | ns | Time inside calls on files, summed over all processes and threads: two threads that wait for
    a second are two seconds. Of each file in its topmost layer: HDF5 or PnetCDF, else MPI-IO, else the
    system's two.
system_ns | ns | Time inside the system's calls on files alone, posix and stdio.
through | - | The totals by the layer that the program used each file through.
system_share | share | Time in the system's calls by time in the topmost layers: what is left is waiting
    for other ranks, exchange and copying in libraries.
by_interface | - | agg_perf_by_slowest of each layer alone, as Darshan makes it for each of its modules.
process_ns | ns | Lifetimes of the captured processes, summed.
io_share_of_process_time | share | Time inside calls by the summed lifetimes of the captured processes:
    100 % if every process did nothing but I/O with one thread. More is possible with several threads.
io_share_of_run_time | share | Time inside calls, summed over processes and threads, by how long the job
    ran; above 100 % when several did I/O at once.
read | - | Calls that read: read, pread, readv, fread and the like.
write | - | Calls that write: write, pwrite, writev, fwrite and the like.
metadata | - | Every other call on a file: open, close, stat, seek, sync, truncate, rename, readdir and
    the like.
other | - | Standard streams, pipes, sockets, devices, excluded paths: not in the sums of files, because
    time there is mostly waiting for somebody else.

mpi_files | - | Files that the MPI library made for itself, as docs/mpi-files.md lists them: recorded, and
    counted as none of the program's unless --mpi-files asks for it.
asynchronous | - | I/O that goes on behind the calls that began it: what the figures do not say of it.

# layers and functions
layer | - | What the program called: posix is the system's calls (read, write), stdio the C library's
    streams (fread, fprintf). Each call counts in one of them, so the two add up. mpiio, hdf5 and pnetcdf are
    libraries above, whose bytes pass the layers below and are counted there too; mpi is communication.
adds_up | - | Whether the layer is of the system, posix or stdio: these two add up.
datasets | count | Datasets of HDF5 and variables of PnetCDF inside files. They are no files.
own_ns | ns | Time inside calls but outside other captured calls that they made.
layers | - | The layers through which a file was used.
function | - | The function that the program called, on whatever it was: files, pipes, sockets and
    excluded paths.
max_ns | ns | The longest single call of the function.

# over time
bandwidth | bytes/s | Bytes moved in a span of time by the length of the span, over all processes and
    descriptors; pipes and standard streams are in it.
operations_per_second | count | Calls that ended in a span of time by the length of the span, over all
    processes and descriptors.
span_ns | ns | The length of a span. Recorders keep a fixed number of spans and double their width, so the
    spans of long jobs are wide.

# sizes
sizes | count | Reads or writes of files by their size: more than the lower and at most the upper bound,
    in powers of two. Reads of nothing, at the end of a file, are in the first.
operations | count | Calls that read or wrote.

# a file
path | - | The name by which it was opened, absolute as far as the directory was known.
final_path | - | The name it had at last, after renames.
kind | - | file, directory (itself read or changed) or directory_rollup (small files of one directory that
    lost their own row for lack of memory).
processes | count | Program images that used it.
metadata_calls | count | Calls that neither read nor wrote and that succeeded.
time_ns | ns | Time inside calls, summed over all processes and threads.
read_pattern | - | Where reads began, compared with the end of the same thread's previous one: consecutive
    (there), forward (beyond), backward (before) when nine tenths agree, else random; empty when there
    were no two.
write_pattern | - | Where writes began, compared with the end of the same thread's previous one:
    consecutive (there), forward (beyond), backward (before) when nine tenths agree, else random; empty
    when there were no two.
read_size | bytes | The most common size of its reads that read anything.
write_size | bytes | The most common size of its writes that wrote anything.
system_reads | count | Reads of the system. A library makes more or fewer of them than its own reads.
system_writes | count | Writes of the system. A library makes more or fewer of them than its own writes.
unaligned_read_share | share | Reads whose file offset is no multiple of 4,096, by all reads; not known of
    streams, whose buffer decides.
unaligned_write_share | share | Writes whose file offset is no multiple of 4,096, by all writes; not known
    of streams, whose buffer decides.
mount | - | Where the file system is mounted that it lies on.
site | - | The place in the program from which it was opened.
first_at_ns | at_ns | Its first open, read or write.
last_at_ns | at_ns | The end of its last read or write, or its last close.

# a process
process | - | Id of a program image; executing another program begins a new one with the same pid.
pid | - | Number of the process.
rank | - | Rank in a parallel job.
parent | - | The program image that started or executed this one.
depth | - | How many parents it has in the log.
host | - | The machine it ran on.
executable | - | The file of its program.
arguments | - | Its argument vector, perhaps cut.
start_at_ns | at_ns | When it began.
ended | - | exit, exec (it executed another program), killed, running (at the end of the capture) or
    unknown.
captured | - | Whether its calls are in the log.
reason | - | Why it was not captured, or what is missing.

# the ranks of a parallel job
ranks | count | Ranks of parallel programs (MPI); of a file those that used it. What a rank's threads,
    images and retries did is one sum. Processes without a rank, such as launchers, are in none of these
    figures.
world | count | Ranks of the programs whose ranks used the file.
nodes | count | Hosts that ranks ran on: compute nodes.
instances | - | Runs of parallel programs in the job; each has ranks of its own.
no_files | - | Whether no rank of the program touched a file; standard streams are none.
mib_per_second | - | MiB read and written by all ranks, by the time inside calls of the slowest rank (Carns
    et al. 2011, II-D, before it is divided by the nodes).
mib_per_second_per_node | - | The same by the number of compute nodes: the MiB/s/CN of Carns et al. 2011,
    II-D. There, the time of a shared file is estimated, because that version of Darshan kept no times of
    ranks.
agg_perf_by_slowest | - | Darshan's estimate (since 3.4, darshan-util): MiB by the sum of the slowest rank's
    time in files that not all ranks share and, of each file that all share, its slowest rank's time.
    Darshan makes it for one module; here it is of each file's topmost layer.
agg_time_by_slowest_ns | ns | The time by which agg_perf_by_slowest divides.
metadata_share | share | Time inside metadata calls by time inside all calls on files, over all ranks (Carns
    et al. 2011, Table IV, "md cost"). Closing counts as metadata.
mib_per_rank | - | MiB read and written by all ranks, by their number (Table IV there, "MiB per proc").
files_per_rank | - | Files that ranks used by the number of ranks (Table IV there, "Files per proc").
creates_per_rank | - | Files opened with O_CREAT that held nothing when they were first opened, by the
    number of ranks (Table IV there, "Creates per proc").
sequential_share | share | Reads and writes that began where the same thread's last one ended or beyond, by
    all that have one before them (Table IV there, "seq.").
aligned_share | share | Reads and writes of posix at multiples of 4,096 bytes, by all of posix (Table IV
    there, "aligned", where the file system gives the unit).
strategy | - | unique: one rank used the file; shared: all ranks of a program; partially shared: some of
    them (Carns et al. 2011, III-A: N:N, N:1, N:M).
interfaces | - | The layers through which a file was used, the highest first; posix is also below libraries.
written | count | Files that ranks wrote to.
held_data | count | Written files that were not empty when they were first opened: overwritten or extended
    (compare Carns et al. 2011, IV-B).
truncated_at_open | count | Written files that the first open emptied; what they held before is not known.
held_data_unknown | count | Written files of which the size at the first open was not measured.
imbalance | - | The most that a rank has by the mean of all ranks; 1: all have the same.
variance | - | Mean of the squared distances from the mean, over the ranks (of a file over those that used
    it).
mpi_ns | ns | Time inside communication calls of MPI, without other captured calls inside them.
mpi_calls | count | Communication calls of MPI.
mpi_bytes | bytes | Bytes that they sent and received, as far as the call says it.
mpiio_ns | ns | Time inside calls of MPI-IO, without the system's calls and communication that is captured
    in them.
io_node | - | The node that forwards or routes the I/O of compute nodes, as the site describes it.
nearest_switch | - | The network switch that a node is connected to, as Slurm tells.
slow_share | share | Time of the slow ranks in files on this server, by their time in files on all servers.
    Ranks are slow that took at least 1.5 times the median time in these files. A file on several servers
    counts at each by an equal part.
other_share | share | The same of the other ranks.
slow_ranks | count | Slow ranks with files on this server.
other_ranks | count | Other ranks with files on this server.
server | - | Index of an object server (OST), which holds data of files.
instance | - | The run of a parallel program that a rank belongs to.
slowest_rank | - | The rank that spent most time in calls on the file.
slowest_host | - | The node of that rank.
fastest_rank | - | Of the ranks that used the file, the one that spent least time in calls on it.
fastest_host | - | The node of that rank.
rank_bytes_least | bytes | Least that one of the ranks that used the file read and wrote.
rank_bytes_mean | bytes | Mean of what these ranks read and wrote.
rank_bytes_most | bytes | Most that one of them read and wrote.
rank_bytes_variance | - | Variance of what they read and wrote, in square bytes.
rank_ns_least | ns | Least time in calls on the file of one of the ranks that used it.
rank_ns_mean | ns | Mean of the time of these ranks.
rank_ns_most | ns | Most time of one of them.
rank_ns_variance | - | Variance of their time, in square nanoseconds.
properties | - | What is known of a file besides counts: MPI-IO hints as asked for and as the library used
    them, layouts of HDF5 datasets, Lustre stripes and object servers.

# runs of a growing job
speed_up | - | Run time of the smallest job by that of this one; when the work grows with the job, times the
    growth.
efficiency | share | The speed-up by how much larger the job is.
compute_share | share | What is left of a rank's time outside the other three, in the mean of the ranks.
mpi_share | share | Time inside communication calls by the time that ranks lived, in the mean.
libraries_share | share | Time inside calls of HDF5, PnetCDF and MPI-IO, without the system's calls below
    them: waiting for other ranks, exchange and copying. By the time that ranks lived, in the mean.
io_share | share | Time inside calls on files, posix and stdio, by the time that ranks lived, in the mean.
slowest_io_ns | ns | Time inside calls on files of the rank that has most of it.
log | - | The file of the job log.

# places in the code
sites | - | Places in the program that made the calls, resolved from return addresses; where a name is not
    known, the module and the offset in it.
site_records | count | File records (a file in a process) whose first open, or slowest or largest
    operation, this place made.
frames | - | Functions from the one that made the call outwards.

# what is missing
not_captured | - | What happened and is not in the figures, with its amount and the reason.
remedy | - | What to do so that the next run has it.
damage | - | Parts of the log that cannot be used.
others | - | What is too small for a place of its own, summed up.
"""


def definitions() -> dict[str, str]:
    """A sentence for every figure, those of the counters included."""
    counters = {row["name"]: _sentence(row["doc"]) for row in _native.counters()}
    flags = {name: _sentence(doc) for name, _, doc in _native.flags()}
    return flags | counters | {key: sentence for key, _, sentence in figures()}


def units() -> dict[str, str]:
    """The unit of every figure that has one."""
    counters = {row["name"]: row["unit"] for row in _native.counters() if row["unit"] != "flags"}
    return counters | {key: unit for key, unit, _ in figures() if unit != "-"}


def figures() -> list[tuple[str, str, str]]:
    """(key, unit, sentence) of each of FIGURES."""
    entries: list[str] = []
    for line in FIGURES.splitlines():
        if line.startswith(" "):
            entries[-1] += " " + line.strip()
        elif line and not line.startswith("#"):
            entries.append(line)
    return [(key, unit, sentence) for key, unit, sentence in (entry.split(" | ", 2) for entry in entries)]


def _sentence(doc: str) -> str:
    """As a sentence; the name of a function or counter stays as it is."""
    first = doc.split(" ", 1)[0].rstrip(",")
    name = first in _native.function_modules() or "_" in first
    return (doc if name else doc[:1].upper() + doc[1:]) + ("" if doc.endswith(".") else ".")
