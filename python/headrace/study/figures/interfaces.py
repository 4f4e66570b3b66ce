"""Interfaces and I/O strategies by the size of jobs (Figures 2 and 3 of the paper)."""

from __future__ import annotations

from typing import Any

from headrace.study.figure import Figure, Finding
from headrace.study.figures.coverage import NO_LOGS
from headrace.study.query import Connection, data, rows, total
from headrace.study.runs import class_label
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import percent

INTERFACES = {"posix": "POSIX", "stdio": "stdio", "mpiio": "MPI-IO", "hdf5": "HDF5", "pnetcdf": "PnetCDF"}
STRATEGIES = {
    "unique": "unique",
    "partial": "partially shared",
    "shared": "shared",
    "not known": "not known",
}
_NONE = "none"
_COMMON = (
    "All logs of the period; {left:,} logs of other periods or projects left out. A job with several logs"
    " counts once, with the processes that ran at the same time."
)

# Of POSIX and streams, which are on one level, the one that moved more.
_INTERFACE = """CASE WHEN uses_pnetcdf THEN 'pnetcdf' WHEN uses_hdf5 THEN 'hdf5' WHEN uses_mpiio THEN 'mpiio'
  WHEN uses_stdio AND (NOT uses_posix OR bytes_stdio > bytes_posix) THEN 'stdio' WHEN uses_posix THEN 'posix'
  ELSE 'none' END"""
STRATEGY = """CASE WHEN moved = 0 THEN 'none'
  WHEN bytes_shared + bytes_partial + bytes_unique = 0 THEN 'not known'
  WHEN bytes_shared >= bytes_partial AND bytes_shared >= bytes_unique THEN 'shared'
  WHEN bytes_partial >= bytes_unique THEN 'partial' ELSE 'unique' END"""


def interfaces(connection: Connection, _: Settings, scope: Scope) -> Figure:
    figure, records = _figure(connection, "interfaces", "interface", INTERFACES, _INTERFACE)
    figure.title = "Interfaces by the size of jobs"
    figure.paper = "Figure 2"
    figure.definition = (
        "By jobs: each job counts once, under the highest interface that it used; of POSIX and stdio under"
        " the one that moved more. By bytes read and written: a file's bytes count under the highest"
        " interface that used the file. Sizes are powers of two of processes."
    )
    figure.filter = _COMMON.format(left=scope.logs_left_out)
    if records:
        words = _most(records, "interface", "bytes", "moving")
        figure.words = [_most(records, "interface", "jobs", "used by"), words]
        figure.findings = [Finding(words, "interfaces", 0.7)]
    return figure


def strategies(connection: Connection, _: Settings, scope: Scope) -> Figure:
    figure, records = _figure(connection, "strategies", "strategy", STRATEGIES, STRATEGY)
    figure.title = "I/O strategies by the size of jobs"
    figure.paper = "Figure 3"
    figure.definition = (
        "A file is unique when one process uses it (N:N), shared when all processes of its program do"
        " (N:1), and partially shared between these (N:M). By jobs: each job counts under the strategy of"
        " most of its bytes. By bytes read and written: those of all files. Not known: capture had no"
        " memory to tell the files apart."
    )
    figure.filter = _COMMON.format(left=scope.logs_left_out)
    if not records:
        return figure
    figure.words = [_most(records, "strategy", "jobs", "of"), _most(records, "strategy", "bytes", "moving")]
    turn = _turn(records)
    if turn is not None:
        text = f"From {turn:,} processes on, most bytes go to shared or partially shared files."
        figure.words.append(text)
        figure.findings = [Finding(text, "strategies", 0.75)]
    return figure


def _figure(
    connection: Connection, name: str, column: str, keys: dict[str, str], choice: str
) -> tuple[Figure, list[dict[str, Any]]]:
    """`choice`: the kind of a job, as SQL of study_runs; of a file it is its `interface` or `sharing`."""
    jobs = rows(
        connection,
        f"SELECT size_class, kind, count(*) AS jobs FROM (SELECT *, {choice} AS kind FROM study_runs)"
        " chosen GROUP BY size_class, kind",
    )
    kind = "interface" if column == "interface" else "sharing"
    moved = rows(
        connection,
        f"""SELECT size_class, {kind} AS kind, {total("bytes_read")}, {total("bytes_written")}
FROM study_moved GROUP BY size_class, {kind}""",
    )
    records = _records(jobs, moved, column, keys)
    figure = Figure(
        name,
        "",
        "bars",
        data(
            records,
            f"least_processes int, size text, by text, {column} text, jobs int, bytes int, share real",
        ),
        "",
        "",
        encoding={"x": "size", "y": "share", "colour": column, "panel": "by"},
        units={"least_processes": "count", "jobs": "count", "bytes": "bytes", "share": "share"},
        titles={"size": "processes", "share": "share of this size"},
        missing="" if records else NO_LOGS,
    )
    return figure, records


def _records(
    jobs: list[dict[str, Any]], moved: list[dict[str, Any]], column: str, keys: dict[str, str]
) -> list[dict[str, Any]]:
    """A record for each kind of each size that is there: by jobs, by bytes read and by bytes written."""
    counted = {(row["size_class"], row["kind"]): row["jobs"] for row in jobs}
    read = {(row["size_class"], row["kind"]): row["bytes_read"] for row in moved}
    written = {(row["size_class"], row["kind"]): row["bytes_written"] for row in moved}
    records = []
    for size in sorted({row["size_class"] for row in jobs}):
        for by, weights in (("jobs", counted), ("bytes read", read), ("bytes written", written)):
            whole = sum(weights.get((size, key), 0) for key in [*keys, _NONE])
            for key in [*keys, _NONE]:
                weight = weights.get((size, key), 0)
                if weight:
                    said = {"least_processes": size, "size": class_label(size), "by": by}
                    amounts = {("jobs" if by == "jobs" else "bytes"): weight, "share": weight / whole}
                    records.append({**said, column: keys.get(key, _NONE), **amounts})
    return records


def _most(records: list[dict[str, Any]], column: str, by: str, word: str) -> str:
    sums: dict[str, int] = {}
    for record in records:
        if record["by"].startswith(by) and record[column] != _NONE:
            sums[record[column]] = sums.get(record[column], 0) + record[by]
    if not sums:
        return f"No job used a file that has {by} to count."
    kind = max(sums, key=lambda each: sums[each])
    part = percent(sums[kind] / sum(sums.values()))
    if column == "interface":
        return f"{kind} is the most used interface, {word} {part} of the {by}."
    return f"The most frequent strategy is {kind} files, {word} {part} of the {by}."


def _turn(records: list[dict[str, Any]]) -> int | None:
    """The least size from which on shared files have most bytes, if smaller jobs do otherwise."""
    whole: dict[int, int] = {}
    shared: dict[int, int] = {}
    for record in records:
        if record["by"] != "jobs":
            size = record["least_processes"]
            together = record["strategy"] in ("shared", "partially shared")
            whole[size] = whole.get(size, 0) + record["bytes"]
            shared[size] = shared.get(size, 0) + (record["bytes"] if together else 0)
    sizes = sorted(whole)
    turn = None
    for size in reversed(sizes):
        if shared[size] <= 0.5 * whole[size]:
            break
        turn = size
    return turn if turn is not None and turn != sizes[0] else None


def interface_use(connection: Connection, _: Settings, scope: Scope) -> Figure:
    asked = ", ".join(
        total(f"CASE WHEN uses_{key} THEN 1 ELSE 0 END", f"jobs_{key}") + ", " + total(f"bytes_{key}")
        for key in INTERFACES
    )
    row = rows(connection, f"SELECT count(*) AS jobs, {asked} FROM study_runs")[0]
    moved = sum(row[f"bytes_{key}"] for key in INTERFACES)
    records = [
        {
            "interface": name,
            "jobs": row[f"jobs_{key}"],
            "share_of_jobs": row[f"jobs_{key}"] / row["jobs"],
            "bytes": row[f"bytes_{key}"],
            "share_of_bytes": row[f"bytes_{key}"] / moved if moved else None,
        }
        for key, name in INTERFACES.items()
        if row["jobs"]
    ]
    return Figure(
        "interface_use",
        "Use of each interface",
        "table",
        data(records, "interface text, jobs int, share_of_jobs real, bytes int, share_of_bytes real"),
        "Jobs that used a file directly by the interface, and not by a library above it; a job counts for"
        " each that"
        " it used, so shares add up to more than one. Bytes are those of files whose highest interface it"
        " is.",
        _COMMON.format(left=scope.logs_left_out),
        units={"jobs": "count", "share_of_jobs": "share", "bytes": "bytes", "share_of_bytes": "share"},
        titles={"share_of_jobs": "of jobs", "share_of_bytes": "of bytes"},
        paper="Figure 2",
        missing="" if records else NO_LOGS,
        numbers={f"share of jobs with {each['interface']}": each["share_of_jobs"] for each in records},
    )
