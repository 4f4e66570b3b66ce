"""What a message costs in a trace: `python -m benchmarks.messages [MPI]`, MPI openmpi or mpich.

Processor time of one Irecv, Isend and Waitall (parallel/exchange.c), alone, counted and traced in turn; the
medians of the first, and of the differences within a turn.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = Path(sys.prefix) / "bin" / "headrace"
SOURCE = Path(__file__).parent / "parallel" / "exchange.c"
TURNS, ROUNDS = 15, 200_000
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def main(mpi: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        program = Path(place) / "exchange"
        subprocess.run([f"mpicc.{mpi}", "-O2", "-o", program, SOURCE], check=True)
        launched = [f"mpirun.{mpi}", "-np", "1", program, str(ROUNDS)]
        captured = [COMMAND, "run", "-q", "-o", f"{place}/job.hr"]
        commands = {
            "alone": launched,
            "counted": [*captured, "--", *launched],
            "traced": [*captured, "--trace", "--", *launched],
        }
        turns: list[dict[str, float]] = []
        for _ in range(TURNS):
            turn = {}
            for name, command in commands.items():
                done = subprocess.run(command, env={**os.environ, **ROOT}, capture_output=True, check=True)
                turn[name] = float(done.stdout)
            turns.append(turn)
    alone = statistics.median(turn["alone"] for turn in turns)
    print(f"alone {alone:.0f} ns")
    for name in ("counted", "traced"):
        more = statistics.median(turn[name] - turn["alone"] for turn in turns)
        print(f"{name} {more:+.0f} ns")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "openmpi")
