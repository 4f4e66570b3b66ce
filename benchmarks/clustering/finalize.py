"""What clustering adds to MPI_Finalize.

    python -m benchmarks.clustering.finalize --ranks 16 --rounds 15

Each round runs finalize.c under `headrace run` in each mode, one behind the other. Processor time is that
of a rank, wall time that of the slowest rank, from before MPI_Finalize to behind it. Said are medians over
the rounds with the middle half of them, and those of the differences within a round.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HEADRACE = Path(sys.prefix) / "bin" / "headrace"
MODES = {
    "off": (),
    "--cluster": ("--cluster",),
    "--reduce always": ("always",),
    "--reduce clusters": ("clusters",),
}


def compiled(mpi: str, place: Path) -> Path:
    flags = subprocess.run(
        [HEADRACE, "config", "--cflags"], capture_output=True, text=True, check=True
    ).stdout
    source = Path(__file__).with_suffix(".c")
    words = [f"mpicc.{mpi}", "-O2", *flags.split(), "-o", str(place / mpi), str(source)]
    subprocess.run(words, check=True)
    return place / mpi


def once(mpi: str, program: Path, ranks: int, mode: str) -> tuple[float, float, float]:
    """Milliseconds: of the processor a rank and of the busiest rank, of the wall."""
    options = MODES[mode]
    more = ["--reduce", options[0]] if mode.startswith("--reduce") else list(options)
    run = [HEADRACE, "run", *more, "-o", program.with_suffix(".hr")]
    launch = ["timeout", "120", f"mpirun.{mpi}", "-np", str(ranks), program]
    done = subprocess.run(
        [*run, "--", *launch], capture_output=True, text=True, check=True, env=environment()
    )
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("finalize ")]
    cpu = [float(line[2]) / 1000 for line in lines]
    return statistics.fmean(cpu), max(cpu), max(float(line[3]) for line in lines) / 1000


def environment() -> dict[str, str]:
    allow = {f"OMPI_ALLOW_RUN_AS_ROOT{end}": "1" for end in ("", "_CONFIRM")}
    return {
        **os.environ,
        **allow,
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    print("| | | processor, a rank | busiest rank | wall |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for mpi in ("openmpi", "mpich"):
            program = compiled(mpi, Path(directory))
            rounds = [
                {mode: once(mpi, program, options.ranks, mode) for mode in MODES}
                for _ in range(options.rounds)
            ]
            for mode in MODES:
                print(f"| {mpi} | {mode} | {' | '.join(told([each[mode] for each in rounds]))} |")
            for mode, other in (("--cluster", "off"), ("--reduce clusters", "--reduce always")):
                added = [
                    tuple(a - b for a, b in zip(each[mode], each[other], strict=True)) for each in rounds
                ]
                print(f"| {mpi} | {mode} adds to {other} | {' | '.join(told(added))} |")


def told(rows: list[tuple[float, ...]]) -> list[str]:
    """The median of each column, and the middle half."""
    texts = []
    for column in zip(*rows, strict=True):
        quarters = statistics.quantiles(column, n=4) if len(column) > 1 else [column[0]] * 3
        texts.append(f"{quarters[1]:.2f} ms ({quarters[0]:.2f} to {quarters[2]:.2f})")
    return texts


if __name__ == "__main__":
    main()
