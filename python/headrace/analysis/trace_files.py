"""Whether a trace has the bytes of each file that the job log has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.analysis.processes import stand_ins
from headrace.analysis.traces import Trace, process_id
from headrace.logs import LIBRARY_LAYERS, JobLog

Facts = dict[str, Any]

TOGETHER = ""
"""In place of a path: files that cannot be told apart."""

_IN_NO_EVENT = ("excluded_rollup", "vfork_child", "no_file")
_NO_FILE = "(in no file)"  # the path, whatever the kind: of calls that have no event
_MOVED = ("bytes_read", "bytes_written")


class ByPath(dict[str, tuple[int, int]]):
    """Bytes read and written of one process."""

    def add(self, path: str, row: Facts) -> None:
        there = self.get(path, (0, 0))
        self[path] = (there[0] + row["bytes_read"], there[1] + row["bytes_written"])

    def together(self) -> ByPath:
        return ByPath(
            {TOGETHER: (sum(each[0] for each in self.values()), sum(each[1] for each in self.values()))}
        )


@dataclass
class Compared:
    files: int  # that some process read from or wrote to
    processes: int
    differing: list[Facts]  # process, pid, path, trace and log, which are (bytes read, bytes written)


def traced_bytes(trace: Trace) -> dict[int, ByPath]:
    """By process."""
    found: dict[int, ByPath] = {}
    for row in trace.native.file_totals().rows():
        found.setdefault(row["process"], ByPath()).add(row["path"], row)
    return found


def logged_bytes(log: JobLog) -> dict[int, ByPath]:
    """By process. Of one whose files the log does not all tell apart, all of them together."""
    found: dict[int, ByPath] = {}
    others, paths, coarse = stand_ins(log), {}, set()
    columns = ("process", "record", "path", "kind", "layer", *_MOVED)
    for row in log.native.frame("files").rows(columns=columns):
        paths[row["record"]] = row["path"]
        if row["layer"] in LIBRARY_LAYERS or row["kind"] in _IN_NO_EVENT or row["process"] in others:
            continue
        if row["path"] == _NO_FILE:
            continue
        if row["kind"] == "directory_rollup":
            coarse.add(row["process"])
        found.setdefault(row["process"], ByPath()).add(row["path"], row)
    for row in log.native.frame("shares").rows():
        if row["layer"] in LIBRARY_LAYERS or row["kind"] in _IN_NO_EVENT:
            continue
        if row["record"] not in paths or row["kind"] == "directory_rollup":
            coarse.add(row["process"])
        found.setdefault(row["process"], ByPath()).add(paths.get(row["record"], TOGETHER), row)
    return {process: each.together() if process in coarse else each for process, each in found.items()}


def compare_files(trace: Trace, log: JobLog, filtered: bool) -> Compared:
    """`filtered`: the trace may have less."""
    there, logged = traced_bytes(trace), logged_bytes(log)
    pids = {row["process"]: row["pid"] for row in log.processes.to_pylist()}
    done = Compared(0, 0, [])
    for process in sorted(there.keys() | logged.keys()):
        ours, theirs = there.get(process, ByPath()), logged.get(process, ByPath())
        if TOGETHER in ours or TOGETHER in theirs:
            ours, theirs = ours.together(), theirs.together()
        moved = [
            path
            for path in ours.keys() | theirs.keys()
            if any(ours.get(path, ())) or any(theirs.get(path, ()))
        ]
        done.files += len(moved)
        done.processes += bool(moved)
        for path in sorted(moved):
            one, other = ours.get(path, (0, 0)), theirs.get(path, (0, 0))
            if one == other or (filtered and one[0] <= other[0] and one[1] <= other[1]):
                continue
            done.differing.append(
                {
                    "process": process_id(process),
                    "pid": pids.get(process),
                    "path": path or None,
                    "trace": one,
                    "log": other,
                }
            )
    return done


def files_text(found: Compared) -> str:
    """What a person reads of them."""
    processes = "1 process" if found.processes == 1 else f"{found.processes:,} processes"
    return f"{found.files:,} files of {processes}"


def difference_text(row: Facts) -> str:
    name = "all files" if row["path"] is None else row["path"]
    read, written = row["trace"]
    return (
        f"pid {row['pid']}, {name}: {read:,} bytes read, {written:,} written; "
        f"in the log {row['log'][0]:,} and {row['log'][1]:,}"
    )
