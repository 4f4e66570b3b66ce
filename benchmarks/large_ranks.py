"""Times `headrace show` of logs with very many ranks, and of a log of several programs.

    python -m benchmarks.large_ranks
    python -m benchmarks.large_ranks --ranks 65536 --rounds 5

"shared" has one record for all ranks, "own" a file for each rank, and "programs" eight programs of an eighth
of the ranks each. The first two are Darshan logs. Each reading is a fresh process; medians of the wall clock
and of the processor time, start-up included, beside that of a log of one rank, which is nearly all start-up.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(_TESTS / "darshan"), str(_TESTS / "python")]

from made_darshan.pack import Log, pack  # noqa: E402
from made_darshan.records import id_of, record  # noqa: E402
from made_darshan.uses import use  # noqa: E402
from made_logs import LogMaker  # noqa: E402

COMMAND = Path(sys.executable).parent / "headrace"
_RELEASE = "3.5.0"
_PROGRAMS = 8


def _shared(path: Path, ranks: int) -> None:
    log, rng, name = Log(_RELEASE, ranks=ranks), random.Random(1), "/scratch/out"
    log.names[id_of(name)] = name
    uses = [use(rng, rank, reads=2, writes=3, first=rank << 26) for rank in range(2)]
    log.modules["POSIX"] = [record("POSIX", log.versions["POSIX"], name, uses)]
    path.write_bytes(pack(log))


def _own(path: Path, ranks: int) -> None:
    log, rng = Log(_RELEASE, ranks=ranks), random.Random(1)
    records = log.modules.setdefault("POSIX", [])
    for rank in range(ranks):
        name = f"/scratch/part{rank:06}"
        log.names[id_of(name)] = name
        work = use(rng, rank, reads=1, writes=2)
        records.append(record("POSIX", log.versions["POSIX"], name, [work]))
    path.write_bytes(pack(log))


def _programs(path: Path, ranks: int) -> None:
    maker = LogMaker()
    of_each = max(1, ranks // _PROGRAMS)
    for program in range(_PROGRAMS):
        for rank in range(of_each):
            number = 1 + program * of_each + rank
            maker.process(number, rank=rank, ranks=of_each, instance=7 + program)
            if rank % 64 == 0:
                maker.file(number, f"/scratch/out{program}", writes=1, bytes_written=8, write_ns=50)
    maker.write(path)


LOGS: dict[str, Callable[[Path, int], None]] = {"shared": _shared, "own": _own, "programs": _programs}


def _seconds(log: Path) -> tuple[float, float]:
    begin, before = time.perf_counter(), os.times()
    subprocess.run([COMMAND, "show", log], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return time.perf_counter() - begin, used


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ranks", type=int, default=65536)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        for name, make in LOGS.items():
            few, many = (Path(directory) / f"{name}-{ranks}.log" for ranks in (1, options.ranks))
            make(few, 1)
            make(many, options.ranks)
            for ranks, log in ((1, few), (options.ranks, many)):
                taken = [_seconds(log) for _ in range(options.rounds)]
                wall, cpu = (statistics.median(each) for each in zip(*taken, strict=True))
                what = f"{name:9} {ranks:>7,} ranks, {log.stat().st_size:>11,} bytes"
                print(f"{what}: {wall:6.2f} s, {cpu:6.2f} s of the processor")


if __name__ == "__main__":
    main()
