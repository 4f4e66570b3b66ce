"""Times questions to a catalog, and the whole study of it, over ten million file records.

    python -m benchmarks.facility.study                       # makes the catalog first, in some minutes
    python -m benchmarks.facility.study --catalog DIR         # one that is there

Each question is asked several times over a connection that is open already; the median counts, by the wall
clock and by half of the processor time, which two idle processors would come near to. The study is the
command, with its start and the page.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUESTIONS = {
    "projects of most bytes, of file records": """
        SELECT j.project, count(*), sum(f.bytes_written) AS moved
        FROM files f JOIN log_jobs j ON j.log = f.log GROUP BY 1 ORDER BY moved DESC LIMIT 10""",
    "histogram of sizes written": """
        SELECT floor(log2(bytes_written)) AS bucket, count(*), sum(bytes_written) FROM files
        WHERE bytes_written > 0 GROUP BY 1 ORDER BY 1""",
    "percentiles by program": """
        SELECT l.executable, quantile_cont(f.bytes_written, [0.5, 0.9, 0.99])
        FROM files f JOIN logs l ON l.log = f.log GROUP BY 1""",
    "interfaces": "SELECT interface, count(*), sum(bytes_written) FROM files GROUP BY 1",
    "files of one log": """
        SELECT count(*), max(bytes_written) FROM files WHERE log = (SELECT min(log) FROM logs)""",
    "bytes by project, of jobs": """
        SELECT project, count(*), sum(bytes_read + bytes_written) AS moved FROM jobs
        GROUP BY project ORDER BY moved DESC""",
    "jobs with a log": "SELECT count(*), sum(core_hours) FROM jobs WHERE covered",
    "busiest minutes": """
        SELECT "start", sum(read_bytes + write_bytes) AS moved FROM device_minutes
        GROUP BY 1 ORDER BY moved DESC LIMIT 10""",
}


def busy() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def ask(root: Path, rounds: int) -> None:
    from headrace import catalog

    connection = catalog.open(root).connect()
    ((rows,),) = connection.execute("SELECT count(*) FROM files").fetchall()
    print(f"{rows:,} file records; seconds by the wall clock, and by half of the processor time")
    for name, sql in QUESTIONS.items():
        walls, halves = [], []
        for _ in range(rounds):
            start, before = time.perf_counter(), busy()
            connection.execute(sql).fetchall()
            walls.append(time.perf_counter() - start)
            halves.append((busy() - before) / 2)
        print(f"  {name:42} {statistics.median(walls):6.2f} {statistics.median(halves):6.2f}", flush=True)


def study(root: Path, page: Path) -> None:
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "headrace", "study", "--at", root, "-o", page],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("headrace study failed")
    wall, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
    memory = usage.ru_maxrss / 1024
    print(f"the study: {wall:.1f} s, {cpu:.1f} s of processor time, {memory:,.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalog", type=Path, help="in place of one that is made")
    parser.add_argument("--jobs", type=int, default=22_000)
    parser.add_argument("--shrink", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="study-bench-") as scratch:
        root = options.catalog or Path(scratch, "catalog")
        if not options.catalog:
            size = ["--jobs", str(options.jobs), "--shrink", str(options.shrink), "--seed", "1"]
            command = [sys.executable, "-m", "headrace", "bench", "facility", *size, "--direct", root]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ask(root, options.rounds)
        study(root, Path(scratch, "study.html"))


if __name__ == "__main__":
    main()
