"""Times `headrace catalog add`: logs a second, and its memory.

    python -m benchmarks.facility.catalog                          # logs of a made-up facility
    python -m benchmarks.facility.catalog --darshan DIR            # small logs of Darshan, each many times
    python -m benchmarks.facility.catalog --logs 16000 --shrink 128

Copies of a Darshan log differ by the number of the job, so that each is another log; nothing else is
changed, and the reader does all it does for the first. Each round adds all to a new catalog by the command,
in a process of its own. Where others use the machine too, look at the rate by processor time: logs by half
of user and system time, which two idle processors would come near to if both always had work.
"""

from __future__ import annotations

import argparse
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

_SMALL = 32 << 10  # bytes of a typical log of Darshan's
_MAPS = 32  # where the places of regions stand in a Darshan log's header: 65 of offset and length
_REGIONS = 65
_HEADER = 1328  # of Darshan 3.4
_JOB = 48  # where its job record has the job's number


def renumbered(log: bytes, job: int) -> bytes | None:
    """The log of another job; None where it is not of the form of Darshan 3.4 that this knows."""
    places = [struct.unpack_from("<QQ", log, _MAPS + 16 * i) for i in range(_REGIONS)]
    begin = min((offset for offset, length in places if length), default=0)
    if log[:5] != b"3.41\0" or begin <= _HEADER:
        return None
    record = zlib.decompress(log[_HEADER:begin])
    changed = zlib.compress(record[:_JOB] + struct.pack("<q", job) + record[_JOB + 8 :])
    if struct.unpack_from("<q", record, _JOB)[0] == job or len(record) < 64:
        return None
    more = len(changed) - (begin - _HEADER)
    head = bytearray(log[:_HEADER])
    for i, (offset, length) in enumerate(places):
        if length:
            struct.pack_into("<QQ", head, _MAPS + 16 * i, offset + more, length)
    return bytes(head) + changed + log[begin:]


def copy_darshan(source: Path, target: Path, count: int) -> int:
    logs = [path.read_bytes() for path in sorted(source.glob("*.darshan")) if path.stat().st_size <= _SMALL]
    logs = [log for log in logs if renumbered(log, 1) is not None]
    if not logs:
        raise SystemExit(f"{source}: no small logs of Darshan 3.4")
    for number in range(count):
        folder = target / str(number // 1000)
        folder.mkdir(exist_ok=True)
        made = renumbered(logs[number % len(logs)], 1_000_000 + number)
        assert made is not None
        (folder / f"{number}.darshan").write_bytes(made)
    return count


def make_facility(target: Path, logs: int, shrink: int) -> int:
    """About a third of the jobs have a log."""
    command = ["bench", "facility", "--jobs", str(logs * 7 // 2), "--shrink", str(shrink), "--minutes", "10"]
    subprocess.run(
        [sys.executable, "-m", "headrace", *command, "-o", target / "made"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return sum(len(names) for _, _, names in os.walk(target / "made" / "logs"))


def measure(tree: Path, catalog: Path) -> tuple[float, float, int, int]:
    """Seconds of the wall clock and of processors, KiB at most, and rows."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "headrace", "catalog", "--at", catalog, "add", tree]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"headrace catalog add failed: {said}")
    rows = int(said.split()[3].replace(",", ""))
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=8000)
    parser.add_argument("--shrink", type=int, default=64, help="of the made-up facility")
    parser.add_argument("--darshan", type=Path, help="directory of logs")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="catalog-bench-") as scratch:
        tree = Path(scratch, "tree")
        tree.mkdir()
        if options.darshan:
            logs = copy_darshan(options.darshan, tree, options.logs)
        else:
            logs = make_facility(tree, options.logs, options.shrink)
            tree = tree / "made" / "logs"
        figures = [measure(tree, Path(scratch, f"catalog-{i}")) for i in range(options.rounds)]
    wall, busy, memory = (statistics.median(row[place] for row in figures) for place in range(3))
    rows = figures[0][3]
    print(f"{logs:,} logs, {rows / logs:.0f} rows each: {busy / logs * 1e6:.0f} µs of processor time a log")
    print(f"{logs / (busy / 2):,.0f} logs/s by processor time of two processors (goal 2,000)")
    print(f"{logs / wall:,.0f} logs/s by the wall clock, at most {memory / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
