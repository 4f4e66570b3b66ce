"""What a sample of ten devices costs: ``python -m benchmarks.facility.monitor``.

Processor time and bytes of samples taken back to back (monitor_samples.cc), of the devices that the kernel
lists here and of made ones; beside the bytes, those of the same samples in Parquet.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import machine
from benchmarks.build import BuildError

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = Path(__file__).with_name("monitor_samples.cc")
MIXES = {
    "kernel": "/proc/diskstats, all devices",
    "busy": "ten devices that read and write in every second, requests of 4 KiB to 1 MiB",
    "checkpoints": "ten devices that write for a minute of three, and read little in between",
    "quiet": "ten devices of which each does something in one second of fifty",
}
CPU_GOAL, BYTES_GOAL = 20.0, 10.0


def compiled(build: Path, to: Path) -> Path:
    """monitor_samples, with the libraries of a build tree."""
    parts = ("collect/devices", "format", "base")
    libraries = [build / "src" / part / f"libheadrace_{part.replace('/', '_')}.a" for part in parts]
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    options = ["-std=c++20", "-O2", "-Wall", "-Wextra", f"-I{ROOT / 'src'}"]
    program = to / "monitor_samples"
    command = [*compiler, *options, "-o", str(program), str(SOURCE), *map(str, libraries), "-lzstd"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{shlex.join(command)}\n{done.stderr}build the tree first: make build")
    return program


def parquet_bytes(store: Path) -> int:
    """Of the same rows, byte-stream split and zstd, in order of time, which is its better one here."""
    import pyarrow
    import pyarrow.parquet
    from headrace import samples

    table = samples.read(store)["samples"].sort_by([("end", "ascending"), ("device", "ascending")])
    texts = [field.name for field in table.schema if pyarrow.types.is_string(field.type)]
    split = {name: "BYTE_STREAM_SPLIT" for name in table.column_names if name not in texts}
    path = store / "same.parquet"
    pyarrow.parquet.write_table(
        table, path, use_dictionary=texts, column_encoding=split, compression="zstd", compression_level=3
    )
    return path.stat().st_size


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.facility.monitor", description=__doc__)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument(
        "--rounds", type=int, default=5, help="the best counts: others disturb, nothing helps"
    )
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="a build tree")
    parser.add_argument("--directory", type=Path, default=ROOT / "build", help="on the disk to store on")
    options = parser.parse_args(arguments)
    print("; ".join(f"{key}: {value}" for key, value in machine.facts(options.directory).items()) + "\n")
    print("| devices | user µs | system µs | of both, to look | B a device sample | Parquet |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="headrace-monitor-", dir=options.directory) as place:
        program = compiled(options.build, Path(place))
        for mix in MIXES:
            runs = []
            for number in range(options.rounds):
                store = Path(place) / f"{mix}-{number}"
                command = [program, mix, str(options.samples), str(store)]
                runs.append([float(word) for word in subprocess.check_output(command, text=True).split()])
            user, system, looking, rows = min(runs, key=lambda run: run[0] + run[1])
            size = sum(file.stat().st_size for file in (store / "host").glob("*.hr"))
            parquet = f"{parquet_bytes(store) / rows:.2f}"
            print(f"| {mix} | {user:.1f} | {system:.1f} | {looking:.1f} | {size / rows:.2f} | {parquet} |")
    print(f"\nGoals: {CPU_GOAL:.0f} µs (kernel), {BYTES_GOAL:.0f} B. Made devices are made up meanwhile.")
    for mix, text in MIXES.items():
        print(f"- {mix}: {text}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BuildError as error:
        sys.exit(f"benchmarks: {error}")
