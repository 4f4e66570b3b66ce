"""The shape of libheadrace.so: what it needs, exports, demands of the stack and of the C library."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tracing import LIBRARY, ROOT

FLOOR = (2, 34)
HOT = re.compile(
    r"headrace_(read|write|pread|pwrite|lseek|close|fstat|open)\(|account|end_run|count_excluded"
)


def readelf(*options: str) -> str:
    return subprocess.run(
        ["readelf", "-W", *options, LIBRARY], check=True, capture_output=True, text=True
    ).stdout


def test_needs_the_c_library_alone() -> None:
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d"))
    assert set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, needed


def test_exports_the_intercepted_functions_alone() -> None:
    check = [sys.executable, ROOT / "scripts" / "check_functions.py", "--library", LIBRARY]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_runs_on_the_stated_c_library() -> None:
    versions = {tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([0-9.]+)", readelf("-V"))}
    assert versions, "the library names no version of the C library"
    assert max(version[:2] for version in versions) <= FLOOR
    assert "glibc 2.34" in (ROOT / "docs" / "what-escapes.md").read_text(encoding="utf-8")


def test_asks_for_no_writable_code() -> None:
    stack = next(line for line in readelf("-l").splitlines() if "GNU_STACK" in line)
    assert " RW " in stack and "RWE" not in stack, stack
    dynamic = readelf("-d")
    assert "TEXTREL" not in dynamic
    assert "BIND_NOW" in dynamic  # the PLT's table is read-only, and a wrapper never enters the loader


def test_thread_storage_is_plain_and_small() -> None:
    lines = [line.split() for line in readelf("-l").splitlines() if line.split()[:1] == ["TLS"]]
    assert all(int(line[5], 16) <= 256 for line in lines), lines
    assert "__tls_get_addr" not in readelf("--dyn-syms")


def test_wrappers_need_little_stack() -> None:
    """As the compiler told of each function when it made the library."""
    frames: dict[str, int] = {}
    for folder, least in (("capture/recorder", 500), ("programs/preload", 1000)):
        before = len(frames)
        # The compiler writes those of joined files in a directory below.
        for told in (ROOT / "build" / "release" / "src" / folder).glob("CMakeFiles/headrace_*.dir/**/*.su"):
            for line in told.read_text().splitlines():
                place, size, kind = line.split("\t")
                # execl and its like collect their arguments on the stack, as the C library does.
                assert kind == "static" or "bounded" in kind or "preload.cc" in place, line
                frames[place] = int(size)
        assert len(frames) - before > least, f"build/release has not all of {folder}"
    assert sum(HOT.search(place) is not None for place in frames) > 10
    too_large = {place: size for place, size in frames.items() if size > (512 if HOT.search(place) else 2048)}
    assert not too_large


def test_a_start_touches_few_pages(tmp_path: Path) -> None:
    """Pages that are met for the first time are most of what a start costs."""
    capture = {"LD_PRELOAD": str(LIBRARY), "HEADRACE": "on", "HEADRACE_SPOOL": str(tmp_path)}

    def faults(variables: dict[str, str]) -> int:
        found = []
        for _ in range(5):
            child = os.posix_spawn("/bin/true", ["true"], {"PATH": "/bin", **variables})
            _, status, usage = os.wait4(child, 0)
            assert status == 0
            found.append(usage.ru_minflt)
        return min(found)

    assert faults(capture) - faults({}) <= 45
    assert list(tmp_path.rglob("*.spool"))


def test_a_start_writes_few_addresses() -> None:
    """The loader writes each in every process, and each page of them becomes memory of that process alone."""
    assert readelf("-r").count("_RELATIVE") <= 250
    sections = {line.split()[1]: int(line.split()[5], 16) for line in sections_of(readelf("-S"))}
    taken_at_once = 24 << 10  # capture/recorder/start_pages.cc
    assert sections[".bss"] <= taken_at_once + (4 << 10)


def sections_of(text: str) -> list[str]:
    """The lines of readelf, without the brackets around numbers."""
    return [re.sub(r"\[ *\d+\]", "-", line) for line in text.splitlines() if re.match(r" *\[ *[1-9]", line)]
