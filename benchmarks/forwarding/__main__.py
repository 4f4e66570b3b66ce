"""The command line: ``python -m benchmarks.forwarding``."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from benchmarks import machine
from benchmarks.build import BuildError, compile_programs
from benchmarks.forwarding.measures import ALL, Setup
from benchmarks.forwarding.server import ROOT, BenchmarkError
from benchmarks.forwarding.table import Table


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.forwarding", description="What forwarding costs and gains on this machine."
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(ALL), help="comma-separated: " + ", ".join(ALL))
    parser.add_argument("--seconds", type=float, default=0.5, help="for each rate")
    parser.add_argument("--scale", type=int, default=1, help="so many times the data, clients and files")
    parser.add_argument("--directory", type=Path, default=ROOT / "build", help="on the disk that is measured")
    parser.add_argument("-o", "--output", type=Path, help="also write the Markdown table here")
    options = parser.parse_args(arguments)
    names = options.only.split(",")
    if unknown := [name for name in names if name not in ALL]:
        raise SystemExit(f"--only {', '.join(unknown)}: no such measure; there are {', '.join(ALL)}")
    programs = compile_programs(ROOT / "build" / "benchmarks")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("benchmarks: terminated"))  # so that no files stay
    base = Path(tempfile.mkdtemp(prefix=f"headrace-forwarding-{os.getpid()}-", dir=options.directory))
    table = Table()
    facts = machine.facts(options.directory)
    try:
        setup = Setup(base, programs.resolve(), options.seconds, options.scale)
        for turn in range(options.rounds):
            for name in names:
                # A rest of ten seconds does not become more exact.
                if name == "idle" and turn > 0:
                    continue
                print(f"round {turn + 1}: {name}", file=sys.stderr, flush=True)
                ALL[name](setup, table)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    facts["load at the end"] = " ".join(f"{value:.1f}" for value in os.getloadavg())
    command = shlex.join(["python", "-m", "benchmarks.forwarding", *arguments])
    text = f"`{command}`\n\n" + "; ".join(f"{key}: {value}" for key, value in facts.items()) + "\n\n"
    text += table.markdown()
    print(text, end="")
    if options.output is not None:
        options.output.write_text(text, encoding="utf-8")
    if missed := table.missed():
        print(f"{len(missed)} goals were not reached here: " + "; ".join(missed), file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (BuildError, BenchmarkError) as error:
        sys.exit(f"benchmarks: {error}")
