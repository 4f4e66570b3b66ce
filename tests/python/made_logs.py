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
        layer = f"{counters['layer']}/" if counters.get("layer", "posix") != "posix" else ""
        head = f"{process}/{kind}/{layer}".encode()
        record = name_id(head + (path.encode() if isinstance(path, str) else path))
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


def parallel(path: Path, ranks: int = 8, per_node: int = 4, slow: int = 5, bins: int = 8) -> Path:
    """A parallel job that writes one shared file through HDF5 and MPI-IO, and files of its own.

    Each rank writes 8 MiB of the dataset /rho in one collective call and two attributes; MPI-IO has half of
    the ranks write for all, 4 MiB at once. Each rank has a file of its own through stdio; the ranks of the
    first node share another one; rank 0 reads the input. Rank `slow` takes five times as long in its file.
    """
    log = LogMaker(command=json.dumps(["mpirun", "-n", str(ranks), "./simulate"]))
    log.add("mounts", mount=5, point="/scratch", type="lustre", source="mds:/scratch", options="rw")
    for node in range(-(-ranks // per_node)):
        log.add(
            "nodes",
            node=log.name(f"node{node}"),
            io_node=log.name(f"ion{node}"),
            nearest_switch=log.name("s1"),
        )
    shared, run = "/scratch/run/dump.h5", 2_000_000_000
    launcher = {"executable": "/usr/bin/mpirun", "arguments": b"mpirun\0-n\0"}
    log.process(999, host="login1", ranks=0, instance=0, **launcher)
    aggregators = max(1, ranks // 2)
    per_aggregator = ranks * 8 // aggregators  # MiB
    for rank in range(ranks):
        number, host = rank + 1, f"node{rank // per_node}"
        log.process(number, parent=999, rank=rank, ranks=ranks, instance=77, host=host, end_at_ns=run)
        both = {"first_open_at_ns": 10**8, "last_close_at_ns": 10**9, "mount": 5}
        times = {"write_ns": 40_000_000, "write_max_ns": 40_000_000, "write_max_size": 8 * MIB}
        data = {"bytes_written": 8 * MIB, "writes": 1, "writes_collective": 1, **both}
        dataset = log.file(
            number, f"{shared}:/rho", kind="dataset", layer="hdf5", opens=1, meta_ns=1_000_000,
            **data, **times,
        )  # fmt: skip
        log.add("common", record=dataset, direction="write", what="size", value=8 * MIB, count=1, exact=1)
        whole = log.file(
            number, shared, layer="hdf5", opens=1, opens_collective=1, closes=1, meta_ns=4_000_000,
            writes=3, bytes_written=8 * MIB + 128, write_ns=42_000_000, writes_collective=1, **both,
        )  # fmt: skip
        log.add("common", record=whole, direction="write", what="size", value=8 * MIB, count=1, exact=1)
        top = log.file(
            number, shared, layer="mpiio", opens=1, opens_collective=1, closes=1, meta_ns=3_000_000, views=1,
            writes_noncontiguous=1, write_ns=38_000_000, **data,
        )  # fmt: skip
        log.add("common", record=top, direction="write", what="size", value=8 * MIB, count=1, exact=1)
        posix: dict[str, Any] = {"opens": 1, "closes": 1, "meta_ns": 2_000_000, **both}
        if rank < aggregators:
            writes = per_aggregator // 4
            posix |= {
                "writes": writes, "bytes_written": per_aggregator * MIB, "write_ns": writes * 15_000_000,
                "writes_consecutive": writes - 1, "writes_forward": 1, "write_max_ns": 16_000_000,
                "first_write_at_ns": 2 * 10**8, "last_write_at_ns": 9 * 10**8,
            }  # fmt: skip
        bottom = log.file(number, shared, layer="posix", flags=1 | 1 << 5, **posix)
        if rank < aggregators:
            common = {"value": 4 * MIB, "count": writes, "exact": 1}
            log.add("common", record=bottom, direction="write", what="size", **common)
            log.add("sizes", record=bottom, direction="write", bucket=22, count=writes)
        for key, value in {
            "hint_asked.cb_nodes": "2", "hint_used.cb_nodes": "2", "hint_used.romio_cb_write": "enable",
        }.items():  # fmt: skip
            log.add("properties", process=number, record=top, key=key, value=value)
        log.add("properties", process=number, record=dataset, key="hdf5.chunk", value="1024,1024")
        for key, value in {
            "lustre.stripe_count": "2", "lustre.stripe_size": str(4 * MIB), "lustre.osts": "3,7",
        }.items():  # fmt: skip
            log.add("properties", process=number, record=bottom, key=key, value=value)
        factor = 5 if rank == slow else 1
        own = log.file(
            number, f"/scratch/run/rank{rank}.log", layer="stdio", opens=1, closes=1, writes=100,
            bytes_written=100 * 80, write_ns=10_000_000 * factor, write_max_ns=10**6, meta_ns=500_000,
            flags=1 | 2 | 1 << 5, **both,
        )  # fmt: skip
        target = "9" if rank == slow else "4"
        log.add("properties", process=number, record=own, key="lustre.osts", value=target)
        if rank < per_node:
            log.file(
                number, "/scratch/run/halo.bin", layer="posix", opens=1, reads=4, bytes_read=4 * 1000,
                read_ns=4_000_000 + rank * 1_000_000, reads_consecutive=3, reads_unaligned_file=3, **both,
            )  # fmt: skip
        if rank == 0:
            log.file(
                number, "/scratch/in/params", layer="posix", opens=1, reads=2, bytes_read=500,
                read_ns=100_000, flags=1 << 5, size_at_open=500, **both,
            )  # fmt: skip
        log.file(number, "<stdout>", kind="stream", layer="stdio", writes=1, bytes_written=10, write_ns=1000)
        profile = {"process": number, "errors": 0, "max_ns": 10**7}
        waited = 1_000_000 if rank == slow else 100_000_000
        for function, layer, calls, moved, time, own_ns in (
            ("H5Dwrite", "hdf5", 1, 8 * MIB, 40_000_000, 2_000_000),
            ("MPI_File_write_at_all", "mpiio", 1, 8 * MIB, 38_000_000, 8_000_000),
            ("MPI_Allreduce", "mpi", 50, 50 * 800, 300_000_000, 300_000_000),
            ("MPI_Barrier", "mpi", 10, 0, waited, waited),
            ("pwrite64", "posix", 4, 16 * MIB, 30_000_000, 30_000_000),
            ("fwrite", "stdio", 100, 8000, 10_000_000 * factor, 10_000_000 * factor),
        ):
            log.add(
                "profiles", function=function, layer=layer, calls=calls, bytes=moved, time_ns=time,
                own_ns=own_ns, **profile,
            )  # fmt: skip
        for bin_ in range(bins):
            at = {"start_at_ns": bin_ * run // bins, "width_ns": run // bins}
            moved = MIB * (1 + (bin_ + rank) % 4) if bin_ % 3 else 0
            log.add("series", process=number, direction="write", bytes=moved, operations=3, **at)
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
