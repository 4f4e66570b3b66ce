"""A small catalog whose every figure can be checked by hand."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow
from headrace import catalog
from headrace.catalog.schema import TABLES, arrow_schema

Row = dict[str, Any]
START = datetime(2026, 3, 1, tzinfo=timezone.utc)
MIB = 1 << 20
_NULL = {
    "why_incomplete",
    "io_ranks",
    "io_rank_last",
    "bytes_rank0",
    "nodes",
    "scheduler",
    "scheduler_job",
    "user",
}


def hours(number: float) -> datetime:
    return START + timedelta(hours=number)


def log(number: int, **known: Any) -> Row:
    """A log of 1,024 processes on 256 nodes that wrote 1 GiB to a file for each of them."""
    row: Row = {column.name: _nothing(column.name, column.type) for column in TABLES["logs"].columns}
    row |= {
        "log": number,
        "source": f"/logs/{number}.hr",
        "format": "headrace",
        "executable": "/apps/a",
        "complete": True,
    }
    row |= {
        "start": hours(number),
        "end": hours(number + 1),
        "elapsed_ns": 3600 * 10**9,
        "slowest_exact": True,
    }
    row |= {"processes": 1024, "ranks": 1024, "nodes": 256, "instances": 1, "uses_posix": True}
    row |= {
        "bytes_written": 1024 * MIB,
        "writes": 1024,
        "write_ns": 10**9,
        "meta_ns": 10**9,
        "slowest_ns": 10**9,
    }
    row |= {"files": 1024, "files_written": 1024, "files_new": 1024, "creates": 1024, "files_unique": 1024}
    row |= {
        "judged": 1024,
        "sequential": 512,
        "unaligned": 256,
        "bytes_posix": 1024 * MIB,
        "bytes_unique": 1024 * MIB,
    }
    return row | known


def _nothing(name: str, kind: str) -> Any:
    if name in _NULL:
        return None
    return {"int64": 0, "bool": False, "text": "", "double": 0.0}.get(kind)


def job(name: str, **known: Any) -> Row:
    row: Row = {column.name: None for column in TABLES["scheduler_jobs"].columns}
    row |= {
        "scheduler": "slurm",
        "job": name,
        "user": "ada",
        "account": "sky",
        "state": "completed",
        "exit_status": 0,
    }
    row |= {"start": hours(0), "end": hours(2), "nodes": 256, "cores": 1024, "processes": 1024}
    return row | known


def sample(minute: int, read: int, written: int, device: str = "sda", **known: Any) -> Row:
    row: Row = {"host": "oss1", "boot": "", "kind": "block", "device": device, "reads": 1, "writes": 1}
    begin = START + timedelta(minutes=minute)
    row |= {"start": begin, "end": begin + timedelta(minutes=1), "read_bytes": read, "write_bytes": written}
    return row | known


def scan(number: int, when: datetime, files: int, stored: int, **known: Any) -> Row:
    row: Row = {
        "scan": number,
        "root": "/lus",
        "file_system": "lus",
        "host": "n1",
        "start": when,
        "end": when,
    }
    row |= {"files": files, "directories": 1, "symlinks": 0, "others": 0, "bytes": stored, "capacity": stored}
    row |= {"largest": stored, "unreadable": 0, "vanished": 0, "complete": True, "source": f"/scans/{number}"}
    return row | known


def bin_(
    number: int, histogram: str, low: int, high: int | None, files: int, stored: int, owner: str = ""
) -> Row:
    kind = "project" if owner else "all"
    row = {
        "scan": number,
        "histogram": histogram,
        "owned_by": kind,
        "owner": owner,
        "bucket": low.bit_length(),
    }
    return row | {"low": low, "high": high, "files": files, "bytes": stored}


def table(name: str, records: list[Row]) -> pyarrow.Table:
    schema = arrow_schema(name)
    known = [field for field in schema if field.name != "place"]  # of the order in which rows are added
    return pyarrow.Table.from_pylist(records, schema=pyarrow.schema(known))


def write(path: Path, tables: dict[str, list[Row]]) -> Path:
    """A catalog of these rows; with none of them, an empty one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if tables:
        catalog.write_tables(path, {name: table(name, rows) for name, rows in tables.items()}, "made")
    else:
        catalog.create(path)
    return path


def captured(tables: dict[str, list[Row]], name: str, **known: Any) -> None:
    """Adds a job of sky with a log like the first one."""
    begin = hours(100 + len(tables["scheduler_jobs"]))
    tables["scheduler_jobs"].append(job(name, start=begin, end=begin + timedelta(hours=1)))
    more = {"log": 1000 + len(tables["logs"]), "start": begin, "end": begin + timedelta(hours=1)}
    tables["logs"].append(log(0, scheduler="slurm", scheduler_job=name, **(more | known)))


def site() -> dict[str, list[Row]]:
    """Two projects: sky writes a file for each process, sea one shared file from rank 0."""
    shared = {
        "bytes_shared": 2048 * MIB,
        "bytes_unique": 0,
        "files_unique": 0,
        "files_shared": 1,
        "bytes_posix": 0,
    }
    of_sea: Row = {
        "scheduler": "slurm",
        "scheduler_job": "2",
        "executable": "/apps/b",
        "files": 1,
        "files_written": 1,
    }
    of_sea |= {
        "bytes_written": 2048 * MIB,
        "bytes_mpiio": 2048 * MIB,
        "uses_mpiio": True,
        "mpiio_operations": 8,
    }
    of_sea |= {"files_new": 0, "files_old": 1, "creates": 0, "io_ranks": 1, "io_rank_last": 0, **shared}
    of_sea |= {"bytes_rank0": 2048 * MIB}
    of_sea |= {"processes": 2048, "ranks": 2048, "nodes": 512, "slowest_ns": 4 * 10**9, "meta_ns": 0}
    logs = [
        log(1, scheduler="slurm", scheduler_job="1"),
        log(2, **of_sea),
        log(3, bytes_written=0, files=0, writes=0),
    ]
    logs[2] |= {
        "processes": 1,
        "ranks": 0,
        "uses_posix": False,
        "bytes_posix": 0,
        "bytes_unique": 0,
        "judged": 0,
    }
    logs[2] |= {
        "sequential": 0,
        "unaligned": 0,
        "files_written": 0,
        "files_new": 0,
        "creates": 0,
        "elapsed_ns": 0,
    }
    jobs = [
        job("1", start=hours(1), end=hours(2)),
        job("2", start=hours(2), end=hours(4), account="sea", nodes=512, cores=2048, processes=2048),
        job("4", start=hours(5), end=hours(6), state="failed"),
        job("5", start=hours(5), end=hours(6), account="fire"),
    ]
    instances = [
        {
            "log": row["log"],
            "instance": 0,
            "executable": row["executable"],
            "start": row["start"],
            "end": row["end"],
        }
        | {
            key: row[key]
            for key in ("processes", "nodes", "files", "bytes_read", "bytes_written", "slowest_ns")
        }
        for row in logs
    ]
    files = [
        {"log": 1, "interface": "posix", "sharing": "unique", "bytes_read": 0, "bytes_written": 1024 * MIB},
        {"log": 2, "interface": "mpiio", "sharing": "shared", "bytes_read": 0, "bytes_written": 2048 * MIB},
    ]
    month = timedelta(days=30)
    return {
        "logs": logs,
        "instances": instances,
        "files": files,
        "scheduler_jobs": jobs,
        "access_sizes": [
            {"log": 1, "layer": "posix", "direction": "write", "bucket": 20, "count": 768},
            {"log": 1, "layer": "posix", "direction": "write", "bucket": 12, "count": 256},
            {"log": 2, "layer": "mpiio", "direction": "write", "bucket": 28, "count": 8},
        ],
        "samples": [sample(0, 60 * MIB, 0), sample(1, 0, 0), sample(2, 0, 600 * MIB), sample(9, 0, 60 * MIB)],
        "sample_gaps": [
            {"host": "oss1", "device": "", "start": hours(0.05), "end": hours(0.15), "reason": "restart"},
        ],
        "devices": [{"host": "*", "device": "*", "server": None, "file_system": "lus"}],
        "calendar": [
            {"start": hours(1), "end": hours(2), "kind": "maintenance", "text": "power of <b>hall 1</b>"}
        ],
        "scans": [scan(1, START, 100, 1000 * MIB), scan(2, START + month, 400, 1500 * MIB)],
        "scan_histograms": [
            bin_(1, "size", 0, MIB, 100, 1000 * MIB),
            bin_(1, "size", 0, MIB, 40, 400 * MIB, "sky"),
            bin_(2, "size", 0, MIB, 300, 500 * MIB),
            bin_(2, "size", MIB, None, 100, 1000 * MIB),
            bin_(2, "size", 0, MIB, 280, 400 * MIB, "sky"),
            bin_(2, "modified_age", 0, 64 * 86400, 100, 300 * MIB),
            bin_(2, "modified_age", 64 * 86400, 128 * 86400, 100, 300 * MIB),
            bin_(2, "modified_age", 128 * 86400, None, 200, 900 * MIB),
        ],
        "projects": [{"project": "sky", "label": "Weather", "account": "sky", "user": None, "path": None}],
        "site": [{"key": "name", "value": "Testbed"}, {"key": "cores_per_node", "value": "4"}],
        "ceilings": [
            {"name": "network", "mib_per_s_per_node": 3.0, "nodes_least": None, "text": "of a node"}
        ],
    }
