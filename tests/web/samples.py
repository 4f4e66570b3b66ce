"""Made-up jobs as payloads: small and typical, huge, hostile, empty, damaged.

`python tests/web/samples.py DIRECTORY` writes them all as reports, to look at.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from headrace.analysis.definitions import definitions, units
from headrace.logs import flags
from payloads import Coded, Columns, write_report

Job = tuple[dict[str, Any], dict[str, Columns]]

MS = 1_000_000
START = 1_767_261_600 * 1_000_000_000

PATTERNS = ["", "consecutive", "forward", "backward", "random"]
KINDS = ["file", "directory", "directory_rollup"]
LAYERS = ["posix", "stdio", "posix+stdio"]
MOUNTS = ["/", "/scratch", "/home"]


def direction(calls: int, moved: int, time_ns: int, errors: int = 0) -> dict[str, Any]:
    return {
        "calls": calls,
        "errors": errors,
        "bytes": moved,
        "time_ns": time_ns,
        "slowest_ns": min(time_ns, 31 * MS),
        "bytes_per_second": round(moved * 1e9 / time_ns) if time_ns else None,
    }


def metadata(calls: int, time_ns: int, errors: int = 0) -> dict[str, Any]:
    return {"calls": calls, "errors": errors, "time_ns": time_ns, "slowest_ns": min(time_ns, 9 * MS)}


def no_files() -> dict[str, Columns]:
    return {"files": file_columns(0, []), "processes": process_columns([])}


def file_columns(rows: int, paths: list[str], seed: int = 1) -> Columns:
    """`rows` files with figures drawn as real jobs have them: few large, many small."""
    random = np.random.default_rng(seed)
    assert len(paths) == rows
    writes = random.zipf(1.4, rows).clip(0, 4000).astype(np.float64) if rows else np.zeros(0)
    reads = random.zipf(1.6, rows).clip(0, 4000).astype(np.float64) if rows else np.zeros(0)
    size = 2.0 ** random.integers(4, 22, rows)
    read_ns, write_ns = reads * 2000 + size, writes * 3000 + size * 2
    meta_ns = random.integers(1_000, 4 * MS, rows).astype(np.float64)
    flags = random.choice([0, 1, 1 | 2, 1 | 512, 1 | 2 | 512], rows).astype(np.uint32)
    shares = random.random(rows)
    return {
        "path": paths,
        "final_path": [path.removesuffix(".tmp") for path in paths],
        "kind": Coded(KINDS, random.choice([0, 0, 0, 0, 0, 0, 0, 1], rows)),
        "layers": Coded(LAYERS, random.choice([0, 0, 0, 1, 2], rows)),
        "processes": random.integers(1, 9, rows).astype(np.uint32),
        "opens": random.integers(1, 40, rows).astype(np.float64),
        "reads": reads,
        "writes": writes,
        "calls": reads + writes + 7,
        "metadata_calls": np.full(rows, 7.0),
        "bytes_read": reads * size,
        "bytes_written": writes * size,
        "time_ns": read_ns + write_ns + meta_ns,
        "read_ns": read_ns,
        "write_ns": write_ns,
        "meta_ns": meta_ns,
        "read_pattern": Coded(PATTERNS, random.integers(0, 5, rows)),
        "write_pattern": Coded(PATTERNS, random.integers(0, 5, rows)),
        "read_size": size,
        "write_size": size + 1,
        "system_reads": reads,
        "system_writes": writes,
        "unaligned_read_share": np.where(shares < 0.5, 0.0, shares),
        "unaligned_write_share": shares,
        "mount": Coded(MOUNTS, random.choice([0, 1, 1, 1, 2], rows)),
        "flags": flags,
        "site": random.integers(-1, 3, rows).astype(np.int32),
        "slowest_ns": meta_ns / 2,
        "first_at_ns": random.integers(0, 1_000 * MS, rows).astype(np.float64),
        "last_at_ns": random.integers(1_000 * MS, 8_000 * MS, rows).astype(np.float64),
    }


def process_columns(rows: list[dict[str, Any]]) -> Columns:
    """From rows with any of: parent, depth, pid, rank, executable, arguments, start_at_ns, run_ns, …"""

    def numbers(key: str, kind: Any = np.float64, default: float = 0) -> Any:
        return np.array([row.get(key, default) for row in rows], dtype=kind)

    def codes(key: str, default: str = "") -> Coded:
        texts = [row.get(key, default) for row in rows]
        values = sorted(set(texts))
        return Coded(values, [values.index(text) for text in texts])

    return {
        "process": [f"{number + 1:016x}" for number in range(len(rows))],
        "parent": numbers("parent", np.int32, -1),
        "depth": numbers("depth", np.uint16),
        "pid": numbers("pid", np.uint32, 1),
        "rank": numbers("rank", np.int32, -1),
        "host": codes("host", "node17"),
        "executable": codes("executable", "/usr/bin/simulation"),
        "arguments": [row.get("arguments", "simulation") for row in rows],
        "start_at_ns": numbers("start_at_ns"),
        "run_ns": numbers("run_ns"),
        "ended": codes("ended", "exit"),
        "exit_status": numbers("exit_status", np.int32),
        "captured": numbers("captured", np.uint8, 1),
        "reason": codes("reason"),
        **{
            key: numbers(key)
            for key in ("bytes_read", "bytes_written", "calls", "read_ns", "write_ns", "meta_ns")
        },
    }


def empty() -> Job:
    """A job without any I/O, as `true` is."""
    none = {"files": 0, "bytes_read": 0, "bytes_written": 0, "time_ns": 0, "calls": 0}
    facts: dict[str, Any] = {
        "summary": {
            "format": 1,
            "log": {"path": "job.hr", "bytes": 4096, "closed": True, "damaged_places": 0, "damaged_bytes": 0},
            "job": {
                "command": ["true"],
                "host": "node17",
                "user_id": 1000,
                "working_directory": "/home/someone",
                "start_utc_ns": START,
                "end_utc_ns": START + 3 * MS,
                "exit_status": 0,
                "complete": "yes",
                "run_ns": 3 * MS,
                "processes": 1,
                "process_ids": 1,
                "processes_captured": 1,
                "headrace_version": "0.1.0",
            },
            "totals": {
                "files": 0,
                "directories": 0,
                "read": direction(0, 0, 0),
                "write": direction(0, 0, 0),
                "metadata": metadata(0, 0),
                "io_ns": 0,
                "system_ns": 0,
                "through": [],
                "process_ns": 3 * MS,
                "io_share_of_process_time": 0.0,
                "io_share_of_run_time": 0.0,
            },
            "other": [],
            "mounts": [],
            "not_captured": [],
            "damage": [],
        },
        "layers": [],
        "functions": [],
        "rate": {
            "begin_at_ns": 0,
            "span_ns": 3 * MS / 60,
            "bytes_read": [0] * 60,
            "bytes_written": [0] * 60,
            "reads": [0] * 60,
            "writes": [0] * 60,
            "metadata": [0] * 60,
        },
        "sizes": {"read": [], "write": [], "by_layer": {}},
        "treemap": {"name": "/", **none, "children": []},
        "sites": [],
        "definitions": definitions(),
        "units": units(),
        "flags": [flag._asdict() for flag in flags()],
        "files_left_out": None,
    }
    tables = no_files()
    tables["processes"] = process_columns([{"run_ns": 3 * MS, "pid": 41, "arguments": "true"}])
    return facts, tables


def typical(files: int = 120, ranks: int = 8) -> Job:
    """A simulation of some ranks that writes checkpoints, after a shell script."""
    facts, tables = empty()
    run = 8_400 * MS
    paths = [
        f"/scratch/project/run42/dump_{number // 8:04}/rank_{number % 8:03}.h5.tmp"
        if number % 5
        else f"/home/someone/simulation/input/table_{number:04}.dat"
        for number in range(files)
    ]
    tables["files"] = file_columns(files, paths)
    tables["processes"] = process_columns(_ranks(ranks, run))
    _total(facts, tables, run)
    job = facts["summary"]["job"]
    job["command"] = ["mpirun", "-n", str(ranks), "./simulation", "--steps", "40", "input file.txt"]
    job |= {"processes": ranks + 3, "process_ids": ranks + 2, "processes_captured": ranks + 2}
    summary = facts["summary"]
    summary["not_captured"] = [
        {
            "what": "processes not captured",
            "amount": 1,
            "unit": "count",
            "processes": 1,
            "reason": "/usr/bin/static-tool is statically linked",
            "loss": True,
            "remedy": "link it dynamically",
        },
        {
            "what": "excluded paths",
            "amount": 412,
            "unit": "count",
            "processes": 10,
            "reason": "system directories",
            "loss": False,
            "remedy": None,
        },
    ]
    return facts, tables


def _ranks(ranks: int, run: int) -> list[dict[str, Any]]:
    shell = {"pid": 1000, "run_ns": run, "arguments": "/bin/sh job.sh", "executable": "/bin/dash"}
    static = {"parent": 0, "depth": 1, "pid": 1001, "run_ns": run * 0.01, "arguments": "static-tool --check"}
    static |= {"captured": 0, "reason": "statically linked", "executable": "/usr/bin/static-tool"}
    mpirun = {"parent": 0, "depth": 1, "pid": 1002, "run_ns": run * 0.98, "start_at_ns": run * 0.01}
    mpirun |= {"arguments": f"mpirun -n {ranks} ./simulation --steps 40", "executable": "/usr/bin/mpirun"}
    rows: list[dict[str, Any]] = [shell, static, mpirun]
    for rank in range(ranks):
        share = 0.1 + 0.7 * (rank % 7) / 7
        lived = run * (0.95 - 0.05 * math.sin(rank))
        rows.append(
            {
                "parent": 2,
                "depth": 2,
                "pid": 1100 + rank,
                "rank": rank,
                "start_at_ns": run * 0.02,
                "run_ns": lived,
                "arguments": "./simulation --steps 40 'input file.txt'",
                "host": f"node{17 + rank // 4}",
                "calls": 4000 + rank,
                "bytes_read": 1e6 * rank,
                "bytes_written": 3e8,
                "read_ns": lived * share / 4,
                "write_ns": lived * share / 2,
                "meta_ns": lived * share / 4,
                "ended": "killed" if rank == 5 else "exit",
                "exit_status": 137 if rank == 5 else 0,
            }
        )
    return rows


def _total(facts: dict[str, Any], tables: dict[str, Columns], run: int) -> None:
    """Fills what follows from the files: totals, layers, functions, sizes, rates, mounts and the treemap."""
    files: Any = tables["files"]

    def total(key: str) -> int:
        return int(files[key].sum())

    read = direction(total("reads"), total("bytes_read"), total("read_ns"), errors=3)
    write = direction(total("writes"), total("bytes_written"), total("write_ns"))
    meta = metadata(total("metadata_calls"), total("meta_ns"), errors=12)
    io_ns = read["time_ns"] + write["time_ns"] + meta["time_ns"]
    rows = len(files["path"])
    lived = max(float(tables["processes"]["run_ns"].sum()), 1)  # type: ignore[union-attr]
    summary = facts["summary"]
    summary["totals"] |= {
        "files": rows,
        "directories": 3,
        "read": read,
        "write": write,
        "metadata": meta,
        "io_ns": io_ns,
        "system_ns": io_ns,
        "through": [],
        "process_ns": lived,
        "io_share_of_process_time": io_ns / lived,
        "io_share_of_run_time": io_ns / run,
    }
    summary["job"] |= {"run_ns": run, "end_utc_ns": START + run}
    summary["log"]["bytes"] = 312_345
    summary["other"] = [
        {
            "kind": "stream",
            "files": 3,
            "reads": 2,
            "writes": 1234,
            "bytes_read": 12,
            "bytes_written": 98_765,
            "metadata_calls": 9,
            "time_ns": 12 * MS,
        },
        {
            "kind": "pipe",
            "files": 20,
            "reads": 220,
            "writes": 234,
            "bytes_read": 1_200,
            "bytes_written": 8_765,
            "metadata_calls": 90,
            "time_ns": 2_512 * MS,
        },
    ]
    summary["mounts"] = [
        {
            "point": "/scratch",
            "type": "lustre",
            "source": "10.0.0.1@tcp:/scratch",
            "options": "rw,flock",
            "files": rows // 2,
            "directories": 2,
            "bytes_read": read["bytes"] // 2,
            "bytes_written": write["bytes"],
            "time_ns": io_ns // 2,
        },
        {
            "point": "/home",
            "type": "nfs4",
            "source": "server:/home",
            "options": "rw,hard",
            "files": rows // 2,
            "directories": 1,
            "bytes_read": read["bytes"] // 2,
            "bytes_written": 0,
            "time_ns": io_ns // 2,
        },
    ]

    def part(whole: dict[str, Any], share: float) -> dict[str, Any]:
        scaled = {key: int((number or 0) * share) for key, number in whole.items()}
        return {**scaled, "slowest_ns": whole["slowest_ns"]}

    facts["layers"] = [
        {
            "layer": layer,
            **{
                name: part(whole, share)
                for name, whole in (("read", read), ("write", write), ("metadata", meta))
            },
        }
        for layer, share in (("posix", 0.8), ("stdio", 0.2))
    ]
    names = [
        "write",
        "pwrite64",
        "fwrite",
        "read",
        "fsync",
        "openat",
        "fread",
        "close",
        "lseek",
        "newfstatat",
    ]
    facts["functions"] = [
        {
            "function": name,
            "layer": "stdio" if name.startswith("f") and name != "fsync" else "posix",
            "calls": 9000 // (place + 1),
            "errors": place % 3,
            "bytes": 0 if place in (4, 5, 7, 8, 9) else 10**8 >> place,
            "time_ns": io_ns // 2 >> place,
            "max_ns": 31 * MS >> place,
        }
        for place, name in enumerate(names)
    ]
    spans = np.arange(600)
    burst = np.where(spans % 120 < 30, 1.0, 0.05)
    facts["rate"] = {
        "begin_at_ns": 0,
        "span_ns": run / 600,
        "bytes_read": [int(value) for value in 4e6 * np.exp(-spans / 60)],
        "bytes_written": [int(value) for value in 9e6 * burst],
        "reads": [int(value) for value in 300 * np.exp(-spans / 60)],
        "writes": [int(value) for value in 900 * burst],
        "metadata": [int(value) for value in 40 * burst + 3],
    }
    buckets = [
        {"over": -1 if exponent == 0 else 1 << exponent - 1, "to": 1 << exponent, "operations": operations}
        for exponent, operations in (
            (0, 40),
            (3, 900),
            (12, 5000),
            (13, 800),
            (16, 1300),
            (20, 12_000),
            (22, 310),
        )
    ]
    half = [bucket | {"operations": bucket["operations"] // 2} for bucket in buckets]
    both = {"read": buckets[:4], "write": buckets[2:]}
    facts["sizes"] = {**both, "by_layer": {"posix": both, "stdio": {"read": [], "write": half[4:]}}}
    facts["treemap"] = treemap(files)
    facts["sites"] = sites()


def sites() -> list[dict[str, Any]]:
    def frame(
        function: str | None, file: str | None, line: int | None, module: str, offset: int
    ) -> dict[str, Any]:
        return {
            "function": function,
            "file": file,
            "line": line,
            "module": module,
            "offset": offset,
            "inlined": False,
        }

    def python(function: str, file: str, line: int) -> dict[str, Any]:
        place = {"function": function, "file": file, "line": line}
        return {**place, "module": None, "offset": None, "inlined": False, "python": True}

    main = frame(
        "main", "/home/someone/simulation/src/main.c", 88, "/home/someone/simulation/simulation", 0x1234
    )
    return [
        {
            "what": "open",
            "calls": 320,
            "time_ns": 41 * MS,
            "bytes": 0,
            "frames": [
                frame(
                    "write_checkpoint(Grid const&, int)",
                    "/home/someone/simulation/src/checkpoint.cc",
                    214,
                    "/home/someone/simulation/simulation",
                    0x5678,
                ),
                {
                    **frame(
                        "step",
                        "/home/someone/simulation/src/step.f90",
                        31,
                        "/home/someone/simulation/simulation",
                        0x4444,
                    ),
                    "inlined": True,
                },
                main,
            ],
        },
        {
            "what": "open",
            "calls": 24,
            "time_ns": 3 * MS,
            "bytes": 0,
            "frames": [
                frame(
                    "read_table",
                    "/home/someone/simulation/src/tables.c",
                    12,
                    "/home/someone/simulation/simulation",
                    0x999,
                ),
                main,
            ],
        },
        {
            "what": "slowest write",
            "calls": 1,
            "time_ns": 31 * MS,
            "bytes": 1 << 20,
            "frames": [frame(None, None, None, "/opt/lib/libstripped.so.3", 0xBEEF), main],
        },
        {
            "what": "largest_write",
            "calls": 2,
            "time_ns": 30 * MS,
            "bytes": 1 << 20,
            "frames": [
                python("File.__init__", "/usr/lib/python3/dist-packages/h5py/_hl/files.py", 502),
                python("write_dump", "/home/someone/simulate.py", 42),
                python("<module>", "/home/someone/simulate.py", 99),
                frame("H5Fcreate", None, None, "/usr/lib/libhdf5.so", 0x1111),
                frame(None, None, None, "/usr/bin/python3.11", 0x2222),
            ],
            "show": 1,
        },
    ]


def treemap(files: Any, most: int = 2000) -> dict[str, Any]:
    """Directories as a tree with sums, the smallest beyond `most` nodes left out."""
    keys = ("bytes_read", "bytes_written", "time_ns", "calls")

    def node(name: str) -> dict[str, Any]:
        return {"name": name, "files": 0, **dict.fromkeys(keys, 0), "children": {}}

    root, nodes = node("/"), 1
    for row, path in enumerate(files["path"]):
        at = root
        folders = [part for part in path.split("/") if part][:40]
        for depth in range(len(folders) + 1):
            at["files"] += 1
            for key in keys:
                at[key] += float(files[key][row])
            if depth == len(folders):
                break
            name = folders[depth]
            if name not in at["children"]:
                if nodes >= most:
                    name = "(7 others)"
                nodes += 1
                at["children"].setdefault(name, node(name))
            at = at["children"][name]

    def listed(one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "children": [listed(child) for child in one["children"].values()]}

    return listed(root)


def huge(files: int = 100_000, processes: int = 10_000) -> Job:
    facts, tables = typical(8, processes - 3)
    paths = [
        f"/scratch/project/campaign/run{number % 97:02}/dump_{number // 1000:04}/rank_{number:06}.h5"
        for number in range(files)
    ]
    tables["files"] = file_columns(files, paths, seed=7)
    _total(facts, tables, 3_600_000 * MS)
    summary = facts["summary"]
    summary["job"] |= {"processes": processes, "process_ids": processes, "processes_captured": processes - 1}
    facts["files_left_out"] = {
        "files": 900_000,
        "bytes_read": 1 << 33,
        "bytes_written": 1 << 34,
        "time_ns": 61_000 * MS,
        "calls": 8_000_000,
    }
    return facts, tables


HOSTILE = [
    "/tmp/<script>window.injected=1</script>",
    '/tmp/"><img src=x onerror=window.injected=1>',
    "/tmp/line\nbreak\ttab\rreturn",
    "/tmp/\u202egnp.exe",
    "/tmp/\u05e9\u05dc\u05d5\u05dd/\u0645\u0631\u062d\u0628\u0627.txt",
    "/tmp/nul\x00esc\x1b[31m",
    "/tmp/\\xff\\xfe not UTF-8",
    "/tmp/" + "x" * 4000,
    "/tmp/" + "deep/" * 800,
    "/tmp/{b}{a|rich}${template}</textarea></title>&amp;&lt;",
    "/tmp/zero\u200bwidth\u2066isolate",
    "/tmp/a\u0300\u0301\u0302\u0303\u0304" + "\u0300" * 60,
    "=cmd|'/c calc'!A1,with,commas",
    "/tmp/\U0001f600 \u6f22\u5b57",
    "__proto__",
    "/tmp/constructor",
]


def hostile() -> Job:
    """Names that would do harm where they were taken for markup."""
    facts, tables = empty()
    tables["files"] = file_columns(len(HOSTILE), HOSTILE)
    rows = [
        {"pid": place, "arguments": name, "executable": name, "run_ns": MS}
        for place, name in enumerate(HOSTILE)
    ]
    tables["processes"] = process_columns(rows)
    _total(facts, tables, 10 * MS)
    summary = facts["summary"]
    summary["job"] |= {
        "command": HOSTILE,
        "host": HOSTILE[0],
        "working_directory": HOSTILE[3],
        "complete": HOSTILE[1],
    }
    summary["log"]["path"] = HOSTILE[1]
    for mount, name in zip(summary["mounts"], HOSTILE, strict=False):
        mount |= {"point": name, "type": name, "source": name, "options": name}
    summary["not_captured"] = [
        {
            "what": name,
            "amount": 1,
            "unit": "count",
            "reason": name,
            "processes": 1,
            "loss": True,
            "remedy": name,
        }
        for name in HOSTILE
    ]
    for site, name in zip(facts["sites"], HOSTILE, strict=False):
        for frame in site["frames"]:
            frame |= {"function": name, "file": name, "module": name}
    for row, name in zip(facts["functions"], HOSTILE, strict=False):
        row["function"] = name
    return facts, tables


def one() -> Job:
    """One operation on one file in one process."""
    facts, tables = empty()
    columns = file_columns(1, ["/tmp/one"])
    for key, value in columns.items():
        if isinstance(value, np.ndarray):
            value[:] = 0
        del key
    columns |= {
        "writes": np.ones(1),
        "calls": np.ones(1),
        "bytes_written": np.ones(1),
        "write_ns": np.full(1, 900.0),
    }
    columns |= {"time_ns": np.full(1, 900.0), "site": np.full(1, -1, dtype=np.int32), "opens": np.zeros(1)}
    tables["files"] = columns
    summary = facts["summary"]
    summary["totals"] |= {
        "files": 1,
        "write": direction(1, 1, 900),
        "io_ns": 900,
        "system_ns": 900,
        "through": [],
        "io_share_of_process_time": 900 / (3 * MS),
    }
    facts["layers"] = [
        {
            "layer": "posix",
            "read": direction(0, 0, 0),
            "write": direction(1, 1, 900),
            "metadata": metadata(0, 0),
        }
    ]
    facts["functions"] = [
        {
            "function": "write",
            "layer": "posix",
            "calls": 1,
            "errors": 0,
            "bytes": 1,
            "time_ns": 900,
            "max_ns": 900,
        }
    ]
    facts["rate"]["bytes_written"][7] = facts["rate"]["writes"][7] = 1
    facts["sizes"] = {"read": [], "write": [{"over": -1, "to": 1, "operations": 1}], "by_layer": {}}
    facts["treemap"] = treemap(columns)
    return facts, tables


def damaged() -> Job:
    """A log that lost its end, of a job whose clock stepped back: durations below 0, ends not known."""
    facts, tables = typical()
    summary = facts["summary"]
    summary["damage"] = [
        {"offset": 4096, "bytes": 65536, "reason": "payload checksum differs"},
        {"offset": 300_000, "bytes": 12_345, "reason": "the file ends inside a chunk"},
    ]
    summary["log"] |= {"closed": False, "damaged_places": 2, "damaged_bytes": 77_881}
    summary["job"] |= {
        "exit_status": None,
        "run_ns": -5_250 * MS,
        "complete": "no: the log is damaged",
        "host": None,
    }
    summary["totals"] |= {"process_ns": 0, "io_share_of_process_time": None, "io_share_of_run_time": None}
    processes: Any = tables["processes"]
    processes["run_ns"] = processes["run_ns"].copy()
    processes["run_ns"][3:5] = -1_500 * MS
    facts["rate"] |= {"span_ns": 0}
    return facts, tables


ALL = {
    "empty": empty,
    "typical": typical,
    "huge": huge,
    "hostile": hostile,
    "one": one,
    "damaged": damaged,
}


def write(name: str, directory: Path) -> Path:
    facts, tables = ALL[name]()
    return write_report(directory / f"{name}.html", "job", facts, tables)


if __name__ == "__main__":
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name in ALL:
        print(write(name, directory))
