"""Job logs of known content, written through the C++ writer.

Everything here describes a job as plain Python values; nothing is captured.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from headrace import _native

COUNTERS = [counter["name"] for counter in _native.counters()]
START_NS = 1_790_000_000_000_000_000
MIB = 1 << 20


def name_id(text: str | bytes) -> int:
    """Any injective id will do: readers look names up, they do not compute ids."""
    data = text.encode() if isinstance(text, str) else text
    value = 1469598103934665603
    for byte in data:
        value = (value ^ byte) * 1099511628211 % (1 << 64)
    return value or 1


class LogMaker:
    """Collects rows; `write` makes the file."""

    def __init__(self, **job: str) -> None:
        self.job = {
            "format_version": "1",
            "headrace_version": "0.1.0",
            "command": json.dumps(["./simulate", "--steps", "10"]),
            "host": "node1",
            "user_id": "1000",
            "start_utc_ns": str(START_NS),
            "end_utc_ns": str(START_NS + 2_000_000_000),
            "exit_status": "0",
            "complete": "yes",
            **job,
        }
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.names: dict[int, str | bytes] = {}

    def name(self, text: str | bytes) -> int:
        number = name_id(text)
        self.names[number] = text
        return number

    def add(self, table: str, **row: Any) -> None:
        self.rows.setdefault(table, []).append(row)

    def process(self, number: int, **row: Any) -> int:
        text = {"host": "node1", "executable": "/home/me/simulate", "working_directory": "/home/me"}
        for column, default in text.items():
            row[column] = self.name(row.get(column, default))
        defaults = {
            "parent": 0,
            "pid": 1000 + number,
            "parent_pid": 1,
            "rank": -1,
            "captured": 1,
            "reason": "",
        }
        defaults |= {
            "arguments": b"./simulate\0--steps\x0010\0",
            "start_at_ns": 0,
            "end_at_ns": 2_000_000_000,
        }
        defaults |= {"ended": "exit", "exit_status": 0}
        self.add("processes", process=number, **(defaults | row))
        return number

    def file(self, process: int, path: str | bytes, kind: str = "file", **counters: Any) -> int:
        record = name_id(f"{process}/{kind}/".encode() + (path.encode() if isinstance(path, str) else path))
        final = counters.pop("final_path", path)
        mount = counters.pop("mount", 0)
        ids = {"path": self.name(path), "final_path": self.name(final)}
        self.add("files", process=process, record=record, **ids, kind=kind, mount=mount, **counters)
        return record

    def write(self, path: Path, leave_out: Iterable[str] = ()) -> Path:
        tables: dict[str, Mapping[str, list[Any]]] = {
            "job": {"key": list(self.job), "value": list(self.job.values())},
            "names": {"name": list(self.names), "text": list(self.names.values())},
        }
        for table, rows in self.rows.items():
            columns = dict.fromkeys(key for row in rows for key in row)
            tables[table] = {key: [row.get(key, _empty(rows, key)) for row in rows] for key in columns}
        kept = {name: columns for name, columns in tables.items() if name not in set(leave_out)}
        _native.write_tables(bytes(path), kept)
        return path


def _empty(rows: list[dict[str, Any]], key: str) -> Any:
    """What a row that does not mention a column has there."""
    example = next(row[key] for row in rows if key in row)
    return type(example)()


def simulation(path: Path, processes: int = 2, checkpoints: int = 3) -> Path:
    """A small job: every process writes its checkpoints under a temporary name and reads one input."""
    log = LogMaker()
    log.add("mounts", mount=5, point="/scratch", type="lustre", source="mds:/scratch", options="rw")
    log.add("mounts", mount=6, point="/", type="ext4", source="/dev/sda1", options="rw")
    for number in range(1, processes + 1):
        log.process(number, parent=0 if number == 1 else 1, rank=number - 1)
        shared = log.file(
            number,
            "/scratch/in/mesh.h5",
            mount=5,
            opens=1,
            closes=1,
            reads=4,
            bytes_read=4 * MIB,
            read_ns=8_000_000,
            read_max_ns=3_000_000,
            read_max_size=MIB,
            reads_consecutive=3,
            reads_forward=1,
            meta_ns=50_000,
            meta_max_ns=40_000,
            first_open_at_ns=1000,
            last_close_at_ns=500_000_000,
            read_end=4 * MIB,
        )
        log.add("sizes", record=shared, direction="read", bucket=20, count=4)
        log.add("common", record=shared, direction="read", what="size", value=MIB, count=4, exact=1)
        for step in range(checkpoints):
            record = log.file(
                number,
                f"/scratch/out/step{step}.{number}.tmp",
                mount=5,
                opens=1,
                closes=1,
                writes=100,
                final_path=f"/scratch/out/step{step}.{number}.h5",
                bytes_written=100 * 512,
                write_ns=2_000_000,
                write_max_ns=90_000,
                write_max_size=512,
                writes_consecutive=99,
                writes_forward=1,
                renames=1,
                writes_unaligned_file=88,
                meta_ns=100_000,
                meta_max_ns=60_000,
                flags=1 << 9 | 1,
                first_open_at_ns=1000,
                last_close_at_ns=1_000_000_000 + step,
                write_end=51200,
            )
            log.add("sizes", record=record, direction="write", bucket=9, count=100)
            log.add("common", record=record, direction="write", what="size", value=512, count=100, exact=1)
            log.add("common", record=record, direction="write", what="stride", value=512, count=99, exact=1)
        stream = log.file(number, "<stdout>", kind="stream", writes=3, bytes_written=60, write_ns=1000)
        log.add("sizes", record=stream, direction="write", bucket=5, count=3)
        log.add(
            "profiles",
            process=number,
            function="write",
            calls=303,
            errors=0,
            bytes=153660,
            time_ns=6_000_000,
            max_ns=90_000,
        )
        for bin_ in range(4):
            log.add(
                "series",
                process=number,
                direction="read",
                start_at_ns=bin_ * 125_000_000,
                width_ns=125_000_000,
                bytes=MIB,
            )
            log.add(
                "series",
                process=number,
                direction="write",
                start_at_ns=1_000_000_000 + bin_ * 125_000_000,
                width_ns=125_000_000,
                bytes=38400,
            )
    log.process(
        99,
        parent=1,
        captured=0,
        reason="statically linked",
        executable="/usr/bin/static-tool",
        arguments=b"static-tool\0",
        ended="exit",
    )
    log.add(
        "gaps",
        process=1,
        what="io_uring rings",
        amount=2,
        unit="count",
        reason="operations on them are not seen",
    )
    return log.write(path)


def large(path: Path, files: int = 100_000, seed: int = 1) -> Path:
    """A job of one process with many files whose figures vary as those of real programs do."""
    rng = random.Random(seed)
    sizes = [4096, 65536, MIB, 512, 100]
    names = [f"/scratch/project/run-{i % 97:03}/rank-{i % 1009:05}/part-{i:07}.dat" for i in range(files)]
    ids = [rng.getrandbits(64) for _ in range(files)]
    records = [rng.getrandbits(64) for _ in range(files)]
    writes = [rng.randrange(1, 60) for _ in range(files)]
    size = [rng.choice(sizes) for _ in range(files)]
    starts = sorted(rng.randrange(10**12) for _ in range(files))
    spans = [rng.randrange(10**6, 10**9) for _ in range(files)]
    columns: dict[str, list[Any]] = {name: [0] * files for name in COUNTERS}
    columns |= {
        "opens": [1] * files,
        "closes": [1] * files,
        "writes": writes,
        "writes_consecutive": [w - 1 for w in writes],
        "bytes_written": [w * s for w, s in zip(writes, size, strict=True)],
        "write_ns": [w * rng.randrange(500, 9000) for w in writes],
        "meta_ns": [rng.randrange(3000, 90000) for _ in range(files)],
        "write_max_ns": [rng.randrange(5000, 90000) for _ in range(files)],
        "write_max_size": size,
        "meta_max_ns": [rng.randrange(3000, 50000) for _ in range(files)],
        "reads": [w % 3 for w in writes],
        "bytes_read": [w % 3 * 4096 for w in writes],
        "read_ns": [w % 3 * rng.randrange(300, 2000) for w in writes],
        "write_end": [w * s for w, s in zip(writes, size, strict=True)],
        "writes_unaligned_file": [w if s < 4096 else 0 for w, s in zip(writes, size, strict=True)],
        "stats": [rng.randrange(3) for _ in range(files)],
        "flags": [rng.choice([1, 3, 33]) for _ in range(files)],
        "first_open_at_ns": starts,
        "first_write_at_ns": [s + 2000 for s in starts],
        "last_write_at_ns": [s + d for s, d in zip(starts, spans, strict=True)],
        "last_close_at_ns": [s + d + 900 for s, d in zip(starts, spans, strict=True)],
    }
    head = {
        "process": [1] * files,
        "record": records,
        "path": ids,
        "final_path": ids,
        "kind": ["file"] * files,
    }
    twice = [record for record in records for _ in range(2)]
    tables = {
        "job": {"key": ["command", "complete"], "value": ['["./big"]', "yes"]},
        "names": {"name": [*ids, 1, 2], "text": [*names, "node1", "/home/me/big"]},
        "processes": {
            "process": [1],
            "parent": [0],
            "pid": [7],
            "host": [1],
            "executable": [2],
            "captured": [1],
            "working_directory": [0],
            "start_at_ns": [0],
            "end_at_ns": [10**12],
            "ended": ["exit"],
        },
        "files": {**head, "mount": [5] * files, **columns},
        "sizes": {
            "record": twice,
            "direction": ["write", "read"] * files,
            "bucket": [12, 9] * files,
            "count": [1 + i % 50 for i in range(2 * files)],
        },
        "common": {
            "record": twice,
            "direction": ["write"] * (2 * files),
            "what": ["size", "stride"] * files,
            "value": [value for s in size for value in (s, s)],
            "count": [1 + i % 50 for i in range(2 * files)],
            "exact": [1] * (2 * files),
        },
        "mounts": {
            "mount": [5],
            "point": ["/scratch"],
            "type": ["lustre"],
            "source": ["mds:/x"],
            "options": ["rw"],
        },
        "series": {
            "process": [1] * 256,
            "direction": ["write"] * 256,
            "start_at_ns": [i * 4 * 10**9 for i in range(256)],
            "width_ns": [4 * 10**9] * 256,
            "bytes": [rng.randrange(10**9) for _ in range(256)],
        },
    }
    _native.write_tables(bytes(path), tables)
    return path
