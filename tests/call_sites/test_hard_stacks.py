"""Stacks that are hard to walk: the program runs as ever, and what is known of them is said."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from headrace.analysis.call_sites import place

WHOLE = ["open_file", "open_plainly"]
BUILDS = {
    "no frame pointers": ["-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls"],
    "frame pointers": ["-O1", "-fno-omit-frame-pointer"],
    "fixed address": ["-O1", "-no-pie", "-fno-pie"],
}


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    ("kind", "outer"),
    [
        ("plain", ["main"]),
        ("garbage", []),
        ("jit", [None]),
        ("bare-jit", []),
        ("handler", ["open_in_handler"]),
        ("other-stack-handler", ["open_in_handler"]),
        ("recursion", ["recurse"] * 29),
        ("small-thread", ["thread"]),
        ("coroutine", ["coroutine"]),
        ("fork", ["in_fork", "main"]),
    ],
)
def test_the_functions_that_opened(
    build: str, kind: str, outer: list[str | None], compiled: Callable, sited: Callable, tmp_path: Path
) -> None:
    program = compiled("places.c", *BUILDS[build])
    done = sited(program, kind, tmp_path)
    found = done.functions(kind)
    if build == "no frame pointers":  # the compiler may have joined some of them
        assert found[:1] == ["open_file"]
    else:
        assert found[:2] == WHOLE
        assert found[2 : 2 + len(outer)] == outer or platform.machine() != "x86_64"
    assert done.functions("after")[:2] == ["open_file", "main"]
    assert len(found) <= 40  # inlined functions come on top of 32 frames


def test_a_smashed_stack_gives_what_is_left(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    done = sited(compiled("places.c", "-O1", "-fno-omit-frame-pointer"), "smashed", tmp_path)
    # The caller's own return address is gone, and nothing is invented in its place.
    assert done.functions("smashed") == ["open_smashed"]
    assert done.functions("after")[:2] == ["open_file", "main"]


def test_a_vfork_child_is_left_alone(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    done = sited(compiled("places.c", "-O1"), "vfork", tmp_path)
    assert not [row for row in done.log.files.to_pylist() if row["path"].endswith("/vfork")]
    assert done.functions("after")[:2] == ["open_file", "main"]


def test_a_program_under_the_address_sanitizer(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    program = compiled("places.c", "-O1", "-fsanitize=address")
    environment = os.environ | {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
    done = sited(program, "plain", tmp_path, env=environment)
    assert [name for name in done.functions("plain") if name in ("open_plainly", "main")] == [
        "open_plainly",
        "main",
    ]


def test_a_stripped_program_has_offsets(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    program = tmp_path / "stripped"
    shutil.copy(compiled("places.c", "-O1"), program)
    subprocess.run(["strip", program], check=True)
    site = sited(program, "plain", tmp_path).of("plain")
    assert [frame["function"] for frame in site["frames"][:3]] == [None] * 3
    assert site["frames"][0]["module"] == str(program)
    assert place(site) == f"stripped+{site['frames'][0]['offset']:#x}"
    names = subprocess.run(
        ["addr2line", "-f", "-e", compiled("places.c", "-O1"), hex(site["frames"][0]["offset"] - 1)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert names[0] == "open_file"


def test_operations_that_stand_out(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    done = sited(compiled("places.c", "-O1"), "operations", tmp_path)
    assert done.functions("operations")[:2] == ["operations", "main"]
    assert done.functions("operations", "largest_write")[:2] == ["write_large", "operations"]
    assert done.of("operations", "largest_write")["bytes"] == 1 << 20
    assert done.functions("operations", "largest_read")[:2] == ["read_back", "operations"]
    slowest = [row for row in done.log.table("sites").to_pylist() if row["what"] == "slowest_write"]
    longest = max(row["write_max_ns"] for row in done.log.files.to_pylist())
    times = [row["time_ns"] for row in slowest if row["time_ns"] * 2 >= longest]
    assert times, f"no call site within a factor of two of {longest} ns: {slowest}"
