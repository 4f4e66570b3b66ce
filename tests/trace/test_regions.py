"""Regions and counters that programs mark: <headrace/trace.h>, headrace_trace.F90, headrace.region."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from trace_tools import HERE, Traced, compile_program, config

Marks = Callable[..., Traced]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("marks") / "marks"
    return compile_program("cc -std=gnu99 -O1 -pthread", [HERE / "c" / "marks.c"], out)


@pytest.fixture
def marks(program: Path, tmp_path: Path) -> Marks:
    """marks(CASE, NUMBER…, options=…) runs a case of c/marks.c."""

    def run(case: str, *more: str, options: tuple[str, ...] = ("--trace",)) -> Traced:
        return Traced(tmp_path, [program, case, tmp_path, *more], options)

    return run


def test_regions_nest_and_counters_have_values(marks: Marks) -> None:
    traced = marks("nest")
    assert traced.named("enter") == traced.named("leave") == {"main": 1, "step": 10, "stage": 40}
    rows = traced.rows()
    values = [(row["name"], row["value"]) for row in rows if row["kind"] == "counter"]
    assert values[:3] == [("first", 1), ("residual", 1), ("step number", 0)]
    assert values[-2] == ("residual", 0.1)
    stage = next(i for i, row in enumerate(rows) if row["kind"] == "enter" and row["name"] == "stage")
    assert [row["kind"] for row in rows[stage : stage + 3]] == ["enter", "io", "leave"]
    assert rows[stage]["layer"] == "region"
    assert rows[stage + 2]["duration_ns"] >= rows[stage + 1]["duration_ns"]
    assert traced.accounts() == {}
    traced.verify()


def test_there_may_be_many_names(marks: Marks) -> None:
    traced = marks("many", "20000")
    names = traced.named("enter")
    assert names["region 0"] == names["region 255"] == names["region 19999"] == 2
    assert len(names) == 20001
    assert traced.accounts() == {}


def test_what_does_not_fit_together_is_told(marks: Marks) -> None:
    traced = marks("unbalanced")
    assert traced.accounts() == {"cut": 2, "stray": 3}
    enters, leaves = traced.named("enter"), traced.named("leave")
    assert enters == {"main": 1, "outer": 1, "inner": 1, "innermost": 1, "left open": 1}
    assert enters - leaves == {"left open": 1}
    said = " ".join(traced.command("info").split())
    assert "2 regions ended with an outer one" in said
    assert "3 ends of regions that were not open" in said
    assert "1 still open at the end" in traced.verify()


def test_recording_can_be_switched_off(marks: Marks) -> None:
    traced = marks("paused")
    assert sum(row["kind"] == "io" and row["name"] == "pwrite" for row in traced.rows()) == 2
    assert traced.named("enter", "leave") == {"main": 2, "before": 2}
    assert traced.named("counter") == {"first": 1}
    # Five writes, a region and a counter; the region that was entered before is left.
    assert traced.accounts() == {"paused": 7, "cut": 1, "stray": 1}
    assert "7 calls, regions and counters while the program had recording switched off" in " ".join(
        traced.command("info").split()
    )


def test_threads_have_regions_of_their_own(marks: Marks) -> None:
    traced = marks("threads")
    expected = {**{f"work {i}": 4000 for i in range(4)}, "main": 1, "open when the thread ends": 16}
    assert traced.named("enter") == traced.named("leave") == expected
    assert traced.named("counter")["i"] == 16000
    traced.verify()


def test_a_forked_child_is_in_no_region(marks: Marks) -> None:
    traced = marks("forks")
    assert traced.named("enter") == {"main": 1, "parent": 2, "child": 1}
    assert traced.named("leave") == {"main": 1, "parent": 2, "child": 1}
    assert traced.accounts() == {"stray": 1}
    traced.verify()


def test_too_deep_is_told(marks: Marks) -> None:
    traced = marks("deep")
    assert traced.named("enter")["deep"] == traced.named("leave")["deep"] == 4096
    assert traced.accounts() == {"deep": 10_000 - 4096}
    traced.verify()


def test_an_outer_region_is_left_from_too_deep(marks: Marks) -> None:
    traced = marks("deep inside")
    kept = {"main": 1, "outer": 1, "inner": 4095, "after": 1}
    assert traced.named("enter") == traced.named("leave") == kept
    assert traced.accounts() == {"deep": 5002 - 4096, "stray": 1, "cut": 4999}
    traced.verify()


def test_a_region_does_not_end_a_phase(marks: Marks) -> None:
    traced = marks("in phases")
    marked = [(row["kind"], row["name"]) for row in traced.rows() if row["kind"] in ("enter", "leave")]
    assert marked[2:] == [
        ("enter", "outer"),
        ("enter", "phase"),
        ("enter", "inner"),
        ("leave", "inner"),
        ("leave", "phase"),
        ("leave", "outer"),
    ]
    assert traced.accounts() == {"stray": 2}
    traced.verify()


@pytest.mark.parametrize("case", ["many", "many counters"])
def test_without_room_for_a_name_there_is_no_event(case: str, marks: Marks) -> None:
    options = ("--trace", "--trace-memory", "1M", "--trace-flush", "end")
    traced = marks(case, "20000", options=options)
    mark = {"many": "region", "many counters": "counter"}[case]
    names = traced.named("enter", "counter")
    assert set(names) <= {f"{mark} {i}" for i in range(20000)} | {"main", "first", "recording stops"}
    if case == "many counters":
        assert traced.named("enter") == {"main": 1}
    assert traced.accounts()["nameless"] > 0


def test_a_vfork_child_does_not_switch_marks_off(marks: Marks) -> None:
    traced = marks("vforks")
    assert traced.named("enter") == traced.named("leave") == {"main": 1}
    assert traced.named("counter") == {"first": 1}


def test_absent_they_do_nothing(program: Path, marks: Marks, tmp_path: Path) -> None:
    for case in ("nest", "unbalanced", "paused", "threads", "forks"):
        subprocess.run([program, case, tmp_path], check=True, timeout=60)
    traced = marks("nest", options=())
    assert not traced.trace.exists()


@pytest.mark.parametrize(
    "compiler",
    ["g++ -std=c++98 -O2", "g++ -std=c++20 -O0 -finstrument-functions", "gcc -std=c99 -O2 -no-pie"],
)
def test_compilers(compiler: str, tmp_path: Path) -> None:
    source = HERE / "c" / ("scopes.cc" if "++" in compiler else "marks.c")
    if "++" not in compiler:
        compiler += " -D_GNU_SOURCE -pthread"
    traced = Traced(tmp_path, [compile_program(compiler, [source], tmp_path / "program"), "nest", tmp_path])
    enters = {row["name"]: 0 for row in traced.rows() if row.get("layer") == "region"}
    if "++" in compiler:
        assert set(enters) == {"outer", "solve", "second of this block"}
        assert traced.named("leave")["solve"] == 3
    else:
        assert set(enters) == {"main", "step", "stage"}
    assert traced.accounts() == {}
    traced.verify()


def test_scopes_end_with_exceptions(tmp_path: Path) -> None:
    program = compile_program("g++ -O1", [HERE / "c" / "scopes.cc"], tmp_path / "program")
    traced = Traced(tmp_path, [program])
    assert (
        traced.named("enter") == traced.named("leave") == {"outer": 1, "solve": 3, "second of this block": 3}
    )
    kinds = [row["kind"] for row in traced.rows() if row["kind"] in ("enter", "leave", "counter")]
    assert kinds[-2:] == ["counter", "leave"], "caught outside of the inner regions"


@pytest.mark.parametrize("options", ["-O0 -std=f2008", "-O2 -no-pie -fno-pie"])
def test_fortran(options: str, tmp_path: Path) -> None:
    module = Path(config("--include-dir")) / "headrace" / "headrace_trace.F90"
    out = tmp_path / "program"
    words = ["gfortran", *options.split(), "-Wall", "-Wextra", "-Werror", f"-J{tmp_path}", "-o", out]
    subprocess.run([*words, module, HERE / "fortran" / "marks.f90"], check=True)
    subprocess.run([out], check=True, timeout=60)
    traced = Traced(tmp_path, [out])
    assert traced.named("enter") == traced.named("leave") == {"solve": 5, "inner": 5, "seen": 1}
    assert traced.named("counter") == {"residual": 5, "i": 5}
    assert traced.accounts() == {"paused": 1}


PYTHON = """
import decimal, os, sys, threading, time
import headrace

class Odd:
    def __float__(self):
        raise KeyError

with headrace.region("outer"):
    for i in range(3):
        with headrace.region("step"):
            headrace.counter("i", i)

@headrace.region("decorated")
def function(n):
    "Says so."
    if n == 0:
        raise ValueError
    return function(n - 1)

try:
    function(2)
except ValueError:
    pass
assert function.__doc__ == "Says so."
for value in (None, "many", 10**400, decimal.Decimal("sNaN"), [1], Odd()):
    headrace.counter("no number", value)
headrace.counter("number", decimal.Decimal("1.5"))
headrace.trace_pause()
with headrace.region("not seen"):
    pass
headrace.trace_resume()
try:
    @headrace.region("never")
    def generator():
        yield
except TypeError:
    pass
else:
    sys.exit("a generator was decorated")
threads = [threading.Thread(target=lambda: headrace.region("thread").__enter__()) for _ in range(3)]
for each in threads: each.start()
for each in threads: each.join()
# Python is told of a thread's end before it has left; what is open at the end of a process stays open.
while len(os.listdir("/proc/self/task")) > 1: time.sleep(0.001)
"""


def test_python(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PYTHON)
    subprocess.run([sys.executable, script], check=True, timeout=60)
    traced = Traced(tmp_path, [sys.executable, script])
    enters = {"outer": 1, "step": 3, "decorated": 3, "thread": 3}
    assert traced.named("enter") == traced.named("leave") == enters
    assert [row["value"] for row in traced.rows() if row["kind"] == "counter"] == [0, 1, 2, 1.5]
    assert traced.accounts()["paused"] >= 1
    assert traced.accounts()["value"] == 6
    assert "6 values of counters that are no numbers" in " ".join(traced.command("info").split())
    traced.verify()
