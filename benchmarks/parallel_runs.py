"""Parallel programs: the speed that Headrace tells beside their own, and what start and end cost.

python -m benchmarks.parallel_runs bandwidth
python -m benchmarks.parallel_runs start
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADRACE = ROOT / ".venv" / "bin" / "headrace"
RANKS_OF_ANY_NODE = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
FIGURES = ("agg_perf_by_slowest", "mib_per_second")


def compiled(mpi: str, name: str, place: Path) -> Path:
    out = place / f"{name}.{mpi}"
    source = ROOT / "benchmarks" / "parallel" / f"{name}.c"
    subprocess.run([f"mpicc.{mpi}", "-O2", "-Wall", "-o", str(out), str(source)], check=True)
    return out


def launched(mpi: str, ranks: int, command: list[str | Path], log: Path | None = None) -> str:
    words = [f"mpirun.{mpi}", "-np", str(ranks), *map(str, command)]
    if log is not None:
        words = [str(HEADRACE), "run", "-o", str(log), "--", *words]
    environment = {**os.environ, **RANKS_OF_ANY_NODE}
    return subprocess.run(
        words, check=True, env=environment, timeout=300, stdout=subprocess.PIPE, text=True
    ).stdout


def told(log: Path) -> dict[str, float]:
    shown = subprocess.run(
        [HEADRACE, "show", "--json", log], check=True, capture_output=True, text=True
    ).stdout
    return json.loads(shown)["parallel"]["performance"]  # type: ignore[no-any-return]


def passes_for(program: Path, options: argparse.Namespace, words: list[str]) -> int:
    """So many that a run takes at least the seconds that are asked for."""
    seconds = float(launched(options.mpi, options.ranks, [program, *words, "2"]).split()[0])
    return max(2, int(options.seconds * 2 / seconds * 2) + 1)


def bandwidth(options: argparse.Namespace, place: Path) -> None:
    program = compiled(options.mpi, "bandwidth", place)
    print("| ranks, files | direction | seconds | own MiB/s |", " | ".join(FIGURES), "|")
    print("|---|---|---|---|" + "---|" * len(FIGURES))
    for files in ("shared", "own"):
        for direction in ("write", "read"):
            words = [direction, files, str(place), str(options.mib)]
            passes = passes_for(program, options, words)
            rounds: list[tuple[float, float, dict[str, float]]] = []
            for _ in range(options.rounds):
                log = place / "log.hr"
                run = launched(options.mpi, options.ranks, [program, *words, str(passes)], log)
                seconds, own = map(float, run.split())
                rounds.append((seconds, own, told(log)))
            row = [f"{options.ranks}, {'N-1' if files == 'shared' else 'N-N'}", direction]
            row.append(f"{statistics.median(r[0] for r in rounds):.1f}")
            row.append(f"{statistics.median(r[1] for r in rounds):,.0f}")
            for figure in FIGURES:
                apart = statistics.median((r[2][figure] / r[1] - 1) * 100 for r in rounds)
                row.append(f"{statistics.median(r[2][figure] for r in rounds):,.0f} ({apart:+.1f} %)")
            print("|", " | ".join(row), "|", flush=True)


def start(options: argparse.Namespace, place: Path) -> None:
    """Rounds of a run without and one with capture; the difference counts."""
    program = compiled(options.mpi, "start", place)
    bare: list[float] = []
    added: list[float] = []
    for number in range(options.rounds):
        times = {}
        for captured in (number % 2 == 0, number % 2 == 1):
            begin = time.monotonic()
            launched(options.mpi, options.ranks, [program], place / "log.hr" if captured else None)
            times[captured] = (time.monotonic() - begin) * 1000
        bare.append(times[False])
        added.append(times[True] - times[False])
    least, median, most = statistics.quantiles(added, n=4)
    print(f"{options.mpi}, {options.ranks} ranks: bare {statistics.median(bare):.0f} ms, ", end="")
    print(f"headrace {median:+.1f} ms (half of {len(bare)} rounds within {least:+.1f} … {most:+.1f})")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parallel_runs", description=__doc__)
    parser.add_argument("what", choices=["bandwidth", "start"])
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], default="openmpi")
    parser.add_argument("--ranks", type=int, help="default: 2 for bandwidth, 4 for start")
    parser.add_argument("--rounds", type=int, help="default: 5 for bandwidth, 15 for start")
    parser.add_argument("--seconds", type=float, default=2, help="that a run of bandwidth takes at least")
    parser.add_argument("--mib", type=int, default=256, help="of the file or part of a file of each rank")
    parser.add_argument("--directory", default="/dev/shm", help="where the files lie")
    options = parser.parse_args(arguments)
    options.ranks = options.ranks or (2 if options.what == "bandwidth" else 4)
    options.rounds = options.rounds or (5 if options.what == "bandwidth" else 15)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that no files stay
    with tempfile.TemporaryDirectory(prefix="headrace-benchmarks-", dir=options.directory) as place:
        (bandwidth if options.what == "bandwidth" else start)(options, Path(place))


if __name__ == "__main__":
    main(sys.argv[1:])
