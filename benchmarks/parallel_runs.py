"""Parallel programs: the speed that Headrace tells beside their own, and what start and end cost.

python -m benchmarks.parallel_runs bandwidth
python -m benchmarks.parallel_runs start
"""

from __future__ import annotations

import argparse
import json
import os
import resource
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
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
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


def ways(options: argparse.Namespace, program: Path, place: Path) -> dict[str, list[str]]:
    """The commands that are compared, each of which ends with the same program."""
    set_for_ranks = ["-x"] if options.mpi == "openmpi" else ["-genv"]
    mpirun = [f"mpirun.{options.mpi}", "-np", str(options.ranks)]

    def with_variables(variables: dict[str, str]) -> list[str]:
        words = list(mpirun)
        for name, value in variables.items():
            words += [*set_for_ranks, *([f"{name}={value}"] if options.mpi == "openmpi" else [name, value])]
        return [*words, str(program)]

    library = ROOT / ".venv" / "lib" / "headrace" / "libheadrace.so"
    found = {
        "bare": with_variables({}),
        "headrace run": [str(HEADRACE), "run", "-o", str(place / "log.hr"), "--", *with_variables({})],
        "preloaded": with_variables({"LD_PRELOAD": str(library), "HEADRACE_SPOOL": str(place)}),
    }
    if options.peer:
        peer = {"DARSHAN_ENABLE_NONMPI": "1", "DARSHAN_LOGPATH": str(place)}
        found["peer"] = with_variables({"LD_PRELOAD": str(options.peer), **peer})
    return found


def processor_seconds() -> float:
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start(options: argparse.Namespace, place: Path) -> None:
    """Rounds of all ways in turn; the differences to the bare run of the same round count."""
    commands = ways(options, compiled(options.mpi, "start", place), place)
    wall: dict[str, list[float]] = {way: [] for way in commands}
    processor: dict[str, list[float]] = {way: [] for way in commands}
    environment = {**os.environ, **RANKS_OF_ANY_NODE}
    for number in range(options.rounds):
        order = list(commands)
        for way in order[number % len(order) :] + order[: number % len(order)]:
            before, begin = processor_seconds(), time.monotonic()
            subprocess.run(
                commands[way], check=True, env=environment, cwd=place, timeout=300, stdout=subprocess.DEVNULL
            )
            wall[way].append((time.monotonic() - begin) * 1000)
            processor[way].append((processor_seconds() - before) * 1000)
    for way in commands:
        cells = [f"{options.mpi}, {options.ranks} ranks", way]
        for figures in (wall, processor):
            added = [one - bare for one, bare in zip(figures[way], figures["bare"], strict=True)]
            least, median, most = statistics.quantiles(added, n=4)
            bare = f"{statistics.median(figures[way]):.0f}"
            cells.append(bare if way == "bare" else f"{median:+.0f} ({least:+.0f} … {most:+.0f})")
        print("|", " | ".join(cells), "|", flush=True)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parallel_runs", description=__doc__)
    parser.add_argument("what", choices=["bandwidth", "start"])
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], default="openmpi")
    parser.add_argument("--ranks", type=int, help="default: 2 for bandwidth, 4 for start")
    parser.add_argument("--rounds", type=int, help="default: 5 for bandwidth, 15 for start")
    parser.add_argument("--seconds", type=float, default=2, help="that a run of bandwidth takes at least")
    parser.add_argument("--mib", type=int, default=256, help="of the file or part of a file of each rank")
    parser.add_argument("--peer", type=Path, help="of start: another preload library (Darshan without MPI)")
    parser.add_argument("--directory", default="/dev/shm", help="where the files lie")
    options = parser.parse_args(arguments)
    options.ranks = options.ranks or (2 if options.what == "bandwidth" else 4)
    options.rounds = options.rounds or (5 if options.what == "bandwidth" else 15)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that no files stay
    with tempfile.TemporaryDirectory(prefix="headrace-benchmarks-", dir=options.directory) as place:
        (bandwidth if options.what == "bandwidth" else start)(options, Path(place))


if __name__ == "__main__":
    main(sys.argv[1:])
