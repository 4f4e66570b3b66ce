"""Times `headrace scan` beside `find -printf` and os.walk with os.lstat, over a tree that is made for it.

    python -m benchmarks.facility.scan                                       # 500,000 files
    python -m benchmarks.facility.scan --files 1000000,10000000 --only scan  # does memory grow?

The tree lies in memory (`--directory` says where else) and has been read once, so storage does not count. The
programs take turns, each round begins with another one, and ratios are taken within a round. Rates are by the
wall clock, which others who use the machine change; seconds of processor time stand beside. Memory is the
greatest resident set, or that of the small process that measures (9 MiB) if that is more.

/dev/shm has room for a few million files; for more, mount one of your own with nr_inodes=0 (1 KiB each).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

COMMAND = Path(sys.executable).parent / "headrace"
IN_DIRECTORY = 100  # files
DIRECTORIES = 100  # in a directory

# A small process, since what a program inherits of a large one's memory would count as its own.
MEASURE = """
import json, os, sys, time
begin = time.perf_counter()
quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, used = os.wait4(process, 0)
wall = time.perf_counter() - begin
print(json.dumps([wall, used.ru_utime + used.ru_stime, used.ru_maxrss, status]))
"""

WALK = """
import os, sys
for at, directories, files in os.walk(sys.argv[1]):
    for name in files:
        os.lstat(os.path.join(at, name))
"""


class Run(NamedTuple):
    wall: float  # s
    cpu: float  # s, user and system
    memory: float  # KiB


def make_tree(top: Path, files: int, links: int) -> None:
    """Files without content, each with so many names in its directory."""
    names = [f"data.{i:05}.bin" for i in range(IN_DIRECTORY)]
    for number in range((files + IN_DIRECTORY - 1) // IN_DIRECTORY):
        parent = top / f"p{number // DIRECTORIES:05}"
        if number % DIRECTORIES == 0:
            parent.mkdir()
        directory = parent / f"run{number % DIRECTORIES:03}"
        directory.mkdir()
        at = os.open(directory, os.O_RDONLY)
        for name in names[: files - number * IN_DIRECTORY]:
            os.mknod(name, 0o644, dir_fd=at)
            for link in range(1, links):
                os.link(name, f"{name}.{link}", src_dir_fd=at, dst_dir_fd=at)
        os.close(at)


def measure(command: list[str]) -> Run:
    helper = [sys.executable, "-S", "-I", "-c", MEASURE, *command]
    done = subprocess.run(helper, capture_output=True, text=True, check=True)
    wall, cpu, memory, status = json.loads(done.stdout)
    if status != 0 or done.stderr:
        raise SystemExit(f"{command[0]} failed: {done.stderr.strip()}")
    return Run(wall, cpu, memory)


def programs(tree: Path, output: Path, threads: int) -> dict[str, list[str]]:
    find = shutil.which("find") or "find"
    scan = [str(COMMAND), "scan", str(tree), "-o", str(output), "-q"]
    return {
        "scan": scan + (["--threads", str(threads)] if threads else []),
        "find": [find, str(tree), "-printf", "%y %i %n %U %G %s %b %A@ %T@ %C@\\n"],
        "walk": [sys.executable, "-S", "-I", "-c", WALK, str(tree)],
    }


def rounds_of(commands: dict[str, list[str]], rounds: int) -> dict[str, list[Run]]:
    """The first round, in which caches fill, does not count."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    names = list(commands)
    for number in range(-1, rounds):
        for i in range(len(names)):
            name = names[(number + i) % len(names)]
            run = measure(commands[name])
            if number >= 0:
                runs[name].append(run)
    return runs


def report(entries: int, files: int, runs: dict[str, list[Run]]) -> None:
    def median(name: str, value: Callable[[Run], float]) -> float:
        return statistics.median(value(run) for run in runs[name])

    for name in runs:
        wall = median(name, lambda run: run.wall)
        print(
            f"{name:<6}{wall:8.3f} s {median(name, lambda run: run.cpu):8.3f} s of processors"
            f"{entries / wall:14,.0f} names/s{median(name, lambda run: run.memory) / 1024:9.1f} MiB"
        )
    for name, goal in (("find", 2.5), ("walk", 4.0)):
        if name in runs and "scan" in runs:
            pairs = list(zip(runs[name], runs["scan"], strict=True))
            ratio = statistics.median(other.wall / ours.wall for other, ours in pairs)
            each = statistics.median(other.cpu / ours.cpu for other, ours in pairs)
            print(
                f"scan: {ratio:.2f} times as fast as {name} (goal {goal}), {each:.2f} times by processor time"
            )
    if "scan" in runs and files >= 500_000:
        print(
            f"{entries / median('scan', lambda run: run.wall):,.0f} names/s (goal 1,300,000 on 2 processors)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", default="500000", help="how many; several, separated by commas, in turn")
    parser.add_argument("--links", type=int, default=1, help="names of each file (1)")
    parser.add_argument("--threads", type=int, default=0, help="of headrace scan (its own choice)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="scan,find,walk", help="which of scan, find and walk, by commas")
    parser.add_argument("--directory", default="/dev/shm", help="where the tree is made")
    options = parser.parse_args()
    for text in options.files.split(","):
        files = int(text)
        # rm takes a fraction of the time that Python does.
        directory = tempfile.mkdtemp(prefix="headrace-scan-", dir=options.directory)
        try:
            tree = Path(directory, "tree")
            tree.mkdir()
            make_tree(tree, files, options.links)
            print(f"{files:,} files with {files * options.links:,} names, {os.cpu_count()} processors")
            commands = programs(tree, Path(directory, "scan.hr"), options.threads)
            chosen = {name: commands[name] for name in options.only.split(",")}
            report(files * options.links, files, rounds_of(chosen, options.rounds))
        finally:
            subprocess.run(["rm", "-rf", directory], check=True)


if __name__ == "__main__":
    main()
