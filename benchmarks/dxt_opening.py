"""Times reading a Darshan log of many traced operations to tables, beside PyDarshan, which must be installed.

    python -m benchmarks.dxt_opening

Each reading is a fresh process; the two take turns. Gives medians of the wall clock, without imports, and of
the greatest memory, with them.
"""

from __future__ import annotations

import argparse
import statistics
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy

RANKS = 64
HEADER = 1328
DXT_POSIX = 10  # its place among the modules

OURS = """
import resource, sys, time
import headrace, pyarrow
start = time.perf_counter()
log = headrace.open(sys.argv[1])
segments = log.table("segments")
took = time.perf_counter() - start
rows, total = segments.num_rows, int(segments["bytes"].to_numpy().sum())
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, rows, total)
"""

PEER = """
import resource, sys, time
import darshan, pandas
start = time.perf_counter()
report = darshan.DarshanReport(sys.argv[1], read_all=False)
report.mod_read_all_dxt_records("DXT_POSIX", dtype="dict")
frames = report.records["DXT_POSIX"].to_df()
took = time.perf_counter() - start
parts = [frame[key] for frame in frames for key in ("write_segments", "read_segments")]
rows, total = sum(map(len, parts)), int(sum(part["length"].sum() for part in parts))
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, rows, total)
"""


def trace(rank: int, operations: int) -> bytes:
    """The trace of one rank: half of its operations are writes, of several sizes, at wandering times."""
    random = numpy.random.default_rng(rank)
    half = operations // 2
    head = struct.pack("<Qqq64sqq", 11, rank, 0, f"node{rank // 8}".encode(), half, operations - half)
    segment = numpy.dtype([("offset", "<i8"), ("length", "<i8"), ("start", "<f8"), ("end", "<f8")])
    rows = numpy.zeros(operations, segment)
    rows["length"] = random.choice([4096, 65536, 1 << 20], operations)
    rows["offset"] = rank * (1 << 34) + numpy.cumsum(rows["length"]) - rows["length"]
    rows["start"] = numpy.cumsum(random.exponential(1e-4, operations))
    rows["end"] = rows["start"] + random.exponential(5e-5, operations)
    return head + rows.tobytes()


def make_log(path: Path, segments: int) -> None:
    """A log of format 3.41 with nothing but a trace."""
    job = struct.pack("<7q1024s", 1000, 1_700_000_000, 0, 1_700_000_100, 0, RANKS, 1, b"lib_ver=3.4.7\n")
    names = struct.pack("<Q", 11) + b"/scratch/shared.dat\0"
    packer = zlib.compressobj()
    traces = [packer.compress(trace(rank, segments // RANKS)) for rank in range(RANKS)]
    regions = [
        zlib.compress(job + b"./simulate\next4\t/\0"),
        zlib.compress(names),
        b"".join([*traces, packer.flush()]),
    ]
    places, versions = [(0, 0)] * 65, [0] * 64
    places[0] = (HEADER + len(regions[0]), len(regions[1]))
    places[1 + DXT_POSIX] = (places[0][0] + places[0][1], len(regions[2]))
    versions[DXT_POSIX] = 1
    header = struct.pack("<8sqQQ", b"3.41", 6567223, 0, 0)
    header += b"".join(struct.pack("<QQ", *place) for place in places) + struct.pack("<64I", *versions)
    path.write_bytes(header + b"".join(regions))


def measure(program: str, log: Path) -> tuple[float, float, int, int]:
    run = subprocess.run([sys.executable, "-c", program, log], capture_output=True, text=True, check=True)
    took, memory, rows, total = run.stdout.split()
    return float(took), int(memory) / 1024, int(rows), int(total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=4_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory, "trace.darshan")
        make_log(log, options.segments)
        print(f"{options.segments} operations of {RANKS} ranks, {log.stat().st_size / 1e6:.0f} MB")
        figures: dict[str, list[tuple[float, float, int, int]]] = {"headrace": [], "PyDarshan": []}
        for _ in range(options.rounds):
            figures["headrace"].append(measure(OURS, log))
            figures["PyDarshan"].append(measure(PEER, log))
    medians = {}
    for name, rows in figures.items():
        seconds, mib = (statistics.median(row[place] for row in rows) for place in (0, 1))
        medians[name] = (seconds, mib)
        print(f"{name}: {seconds:.2f} s, {mib:.0f} MiB, {rows[0][2]} rows, {rows[0][3]} bytes moved")
    assert len({row[2:] for rows in figures.values() for row in rows}) == 1, "the two disagree"
    ours, peer = medians["headrace"], medians["PyDarshan"]
    print(f"{peer[0] / ours[0]:.1f} times as fast, {ours[1] / peer[1]:.2f} of the memory")


if __name__ == "__main__":
    main()
