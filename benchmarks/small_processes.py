"""Times shell loops of tiny processes under `headrace run` beside the same loops bare.

    python -m benchmarks.small_processes
    python -m benchmarks.small_processes --rounds 21 --times 1000 --only true,cat

A figure is the processor time of all processes of a loop, with the launcher's, divided by that of
the bare loop of the same round. The two take turns, and each round begins with the other one. After each
recorded loop its log is read: it must have every process of the loop, each recorded to its end, or there is
no figure.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import headrace

from benchmarks.figures import Estimate, estimate
from benchmarks.rounds import rotated
from benchmarks.variants import BARE, HEADRACE_RUN, RunError, clean_environment

COMMAND = Path(sys.executable).parent / "headrace"
GOAL = 1.3


@dataclass(frozen=True)
class Loop:
    """``command`` is what the shell repeats, ``starts`` the programs that one repetition executes."""

    name: str
    command: str
    starts: tuple[str, ...]


LOOPS = (
    Loop("true", "/bin/true", ("true",)),
    Loop("cat", "cat file", ("cat",)),
    Loop("basename", "basename /a/b/c", ("basename",)),
    Loop("sed", "sed -n 1p file", ("sed",)),
    Loop("grep", "echo x | grep x", ("grep",)),
    Loop("xargs", "echo x | xargs echo", ("xargs", "echo")),
)


def script(loop: Loop, times: int) -> str:
    return f"i=0; while [ $i -lt {times} ]; do {loop.command}; i=$((i+1)); done"


def processor_seconds(command: list[str], directory: Path) -> float:
    """Of the command and of all that it started and waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=directory, env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0 or done.stderr:
        raise RunError(f"{' '.join(command)}: status {done.returncode}: {done.stderr.decode()}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def check(log: Path, loop: Loop, times: int) -> None:
    """That every process of the loop was recorded from its start to its end."""
    rows = headrace.open(log).table("processes").to_pylist()
    ended = Counter(
        Path(row["executable"]).name
        for row in rows
        if row["captured"] and row["ended"] == "exit" and row["exit_status"] == 0
    )
    for program in loop.starts:
        if ended[program] != times:
            raise RunError(f"{log}: {ended[program]} processes of {program} instead of {times}")


def ratio(loop: Loop, times: int, turn: int, directory: Path, command: Path = COMMAND) -> float:
    """Of the recorded loop's processor time to the bare one's."""
    text, log = ["sh", "-c", script(loop, times)], directory / "loop.hr"
    taken = {}
    for variant in rotated((BARE, HEADRACE_RUN), turn):
        prefix = [str(command), "run", "-o", str(log), "--"] if variant == HEADRACE_RUN else []
        taken[variant] = processor_seconds([*prefix, *text], directory)
    check(log, loop, times)
    log.unlink()
    return taken[HEADRACE_RUN] / taken[BARE]


def measure(loops: list[Loop], rounds: int, times: int, directory: Path) -> dict[str, Estimate]:
    (directory / "file").write_text("a line\n")
    found: dict[str, list[float]] = {loop.name: [] for loop in loops}
    for turn in range(rounds):
        for loop in loops:
            found[loop.name].append(ratio(loop, times, turn, directory))
    return {name: estimate(ratios) for name, ratios in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--times", type=int, default=400, help="how often a loop runs its command")
    parser.add_argument("--only", help="comma-separated: " + ", ".join(loop.name for loop in LOOPS))
    parser.add_argument("--directory", type=Path, default=Path("/dev/shm"), help="where the loops run")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else [loop.name for loop in LOOPS]
    loops = [loop for loop in LOOPS if loop.name in names]
    if len(loops) != len(names):
        raise SystemExit(f"--only {options.only}: there are " + ", ".join(loop.name for loop in LOOPS))
    directory = Path(tempfile.mkdtemp(prefix=f"headrace-loops-{os.getpid()}-", dir=options.directory))
    try:
        for name, each in measure(loops, options.rounds, options.times, directory).items():
            verdict = "" if each.median <= GOAL else f", more than {GOAL}"
            print(
                f"{name:9} {each.median:5.2f} times the bare loop [{each.low:.2f}, {each.high:.2f}]{verdict}"
            )
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    try:
        main()
    except RunError as error:
        sys.exit(f"benchmarks: {error}")
