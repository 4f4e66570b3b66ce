"""The executor of `headrace bench` beside a plain loop: `python -m benchmarks.plain_loop [DIRECTORY]`.

Both write and read one file on tmpfs by `pwrite` and `pread` calls of one size, in turns that either begins;
the medians of the loop's rates, of the executor's, and of their ratio within a turn. The goal is 95 %.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from .build import compile_programs

COMMAND = Path(sys.prefix) / "bin" / "headrace"
SIZES = (1024, 4096, 65536)
BYTES = 256 << 20
GOAL = 0.95

Rates = dict[str, float]  # MB/s, by "write" and "read"


def of_loop(program: Path, place: str, size: int) -> Rates:
    words = [str(program), place, str(size), str(BYTES // size)]
    write, read = map(float, subprocess.run(words, capture_output=True, check=True, text=True).stdout.split())
    return {"write": size * 1e3 / write, "read": size * 1e3 / read}


def of_executor(place: str, size: int) -> Rates:
    words = ["bench", "ior", "--block", str(BYTES), "--transfer", str(size), "--no-check", "-q", "--json"]
    done = subprocess.run([COMMAND, *words, "--dir", place], capture_output=True, check=True, text=True)
    figures = json.loads(done.stdout)
    return {"write": figures["write_mbps"], "read": figures["read_mbps"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", default="/dev/shm", help="default: /dev/shm")
    parser.add_argument("--turns", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as place, tempfile.TemporaryDirectory() as build:
        program = compile_programs(Path(build)) / "plain_transfers"
        for size in SIZES:
            turns: list[tuple[Rates, Rates]] = []
            for number in range(options.turns):
                if number % 2 == 0:
                    loop, executor = of_loop(program, place, size), of_executor(place, size)
                else:
                    executor, loop = of_executor(place, size), of_loop(program, place, size)
                turns.append((loop, executor))
            for verb in ("write", "read"):
                plain = statistics.median(loop[verb] for loop, _ in turns)
                bench = statistics.median(executor[verb] for _, executor in turns)
                ratio = statistics.median(executor[verb] / loop[verb] for loop, executor in turns)
                verdict = "met" if ratio >= GOAL else "missed"
                print(
                    f"{verb} {size:6} B: loop {plain:6.0f} MB/s, bench {bench:6.0f}: {ratio:.1%} ({verdict})"
                )


if __name__ == "__main__":
    main()
