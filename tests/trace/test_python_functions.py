"""Functions of Python programs are regions of their trace, where they are asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from trace_tools import Traced

PROGRAM = """
import os, sys, threading, json
from solver import relax

class Grid:
    def step(self, n):
        return sum(self.cells(n))

    def cells(self, n):
        for i in range(n):
            yield i

def fail():
    raise ValueError("on purpose")

def work():
    json.dumps({"a": 1})
    Grid().step(5)
    relax.sweep(3)
    try:
        fail()
    except ValueError:
        pass

work()
threads = list(map(lambda _: threading.Thread(target=work), range(3)))
for thread in threads: thread.start()
for thread in threads: thread.join()
assert sys.getprofile() is None
print("sitecustomize" in sys.modules, os.path.basename(sys.path[0]))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "solver").mkdir()
    (tmp_path / "solver" / "__init__.py").touch()
    (tmp_path / "solver" / "relax.py").write_text("def sweep(n):\n    return n and sweep(n - 1)\n")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def traced(program: Path, chosen: str, *options: str, **environment: str) -> Traced:
    place = program.parent / ("job-" + chosen.replace(",", "-"))
    place.mkdir()
    return Traced(
        place,
        [sys.executable, program],
        ["--trace", "--trace-python", chosen, *options],
        environment=environment,
    )


def of_python(run: Traced, kind: str = "enter") -> dict[str, int]:
    rows = [row for row in run.rows() if row["kind"] == kind and row["layer"] == "python"]
    return {name: sum(row["name"] == name for row in rows) for name in {row["name"] for row in rows}}


def test_own_functions(program: Path) -> None:
    alone = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    run = traced(program, "own")
    assert (run.stdout, run.stderr) == (alone.stdout, "")
    grid = "__main__.Grid." if sys.version_info >= (3, 11) else "__main__."
    module = ["__main__.<module>", "solver.<module>", "solver.relax.<module>"]
    assert of_python(run) == {
        "__main__.Grid": 1,  # the class's body
        "__main__.<lambda>": 3,
        **dict.fromkeys(module, 1),
        **dict.fromkeys(["__main__.work", "__main__.fail", f"{grid}step"], 4),
        f"{grid}cells": 4 * 6,  # a generator runs in pieces
        "solver.relax.sweep": 4 * 4,
    }
    assert of_python(run, "leave") == of_python(run)
    run.verify()


def test_packages_and_all(program: Path) -> None:
    assert set(of_python(traced(program, "solver"))) == {
        "solver.<module>",
        "solver.relax.<module>",
        "solver.relax.sweep",
    }
    with_json = of_python(traced(program, "solver.relax,json"))
    assert with_json["json.dumps"] == 4 and with_json["solver.relax.sweep"] == 16
    assert "__main__.work" not in with_json
    everything = of_python(traced(program, "all"))
    assert everything["threading.Thread.start" if sys.version_info >= (3, 11) else "threading.start"] == 3
    assert everything["__main__.work"] == 4


def test_filters_hold_for_them(program: Path) -> None:
    run = traced(program, "own", "--trace=posix", "--trace-skip", "*sweep,*cells")
    assert of_python(run)["__main__.work"] == 4
    assert "solver.relax.sweep" not in of_python(run)
    assert run.accounts()["name"] == 4 * 6 + 4 * 4
    run.verify()


def test_the_site_customizes_as_before(program: Path) -> None:
    site = program.parent / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import sys\nprint('of the site', 'headrace' in sys.path[1])\n")
    run = traced(program, "own", PYTHONPATH=str(site))
    assert run.stdout.startswith("of the site False\nTrue ")
    assert of_python(run)["__main__.work"] == 4


def test_what_children_do_is_recorded_too(tmp_path: Path) -> None:
    program = tmp_path / "parent.py"
    program.write_text(
        "import multiprocessing, subprocess, sys\n"
        "def double(n): return 2 * n\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "        print(pool.map(double, range(10)))\n"
        "    subprocess.run([sys.executable, '-c', 'def child(): pass\\nchild()'], check=True)\n"
    )
    run = traced(program, "own")
    found = of_python(run)
    assert found["__main__.double"] == 10 and found["__main__.child"] == 1
    run.verify()


def test_python_without_the_option_is_left_alone(program: Path) -> None:
    place = program.parent / "plain"
    place.mkdir()
    run = Traced(place, [sys.executable, program])
    assert of_python(run) == {}
    isolated = program.parent / "isolated"
    isolated.mkdir()
    code = "def f(): pass\nf()"
    run = Traced(isolated, [sys.executable, "-I", "-c", code], ["--trace", "--trace-python", "own"])
    assert of_python(run) == {}  # -I reads no PYTHONPATH


def test_a_mistake_in_the_list(program: Path) -> None:
    place = program.parent / "mistake"
    place.mkdir()
    run = Traced(place, [sys.executable, program], ["--trace", "--trace-python", "a b"], status=125)
    assert "own, all or a list of packages" in run.stderr


def run_beside(program: Path, text: str, *, name: str = "job") -> tuple[str, Traced]:
    """What a program prints alone, and its trace."""
    program.write_text(text)
    alone = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True, timeout=60)
    place = program.parent / name
    place.mkdir()
    return alone.stdout, Traced(place, [sys.executable, program], ["--trace", "--trace-python", "own"])


def test_modules_of_the_program_come_before_those_of_the_library(tmp_path: Path) -> None:
    for name in ("struct", "threading", "ctypes"):
        (tmp_path / f"{name}.py").write_text("mine = 1\n")
    alone, run = run_beside(
        tmp_path / "shadowed.py",
        "import struct, threading, ctypes\nprint(struct.mine, threading.mine, ctypes.mine)\n",
    )
    assert run.stdout == alone == "1 1 1\n"


def test_signal_handlers_raise_where_they_do_alone(tmp_path: Path) -> None:
    _, run = run_beside(
        tmp_path / "alarmed.py",
        """
import signal
class Alarm(BaseException): pass
raised = seen = 0
def alarm(*_):
    global raised
    raised += 1
    raise Alarm
signal.signal(signal.SIGALRM, alarm)
while seen < 300:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
        while True:
            exec("def made(): pass\\nmade()")
    except Alarm:
        seen += 1
print(raised - seen)
""",
    )
    assert (run.stdout, run.stderr) == ("0\n", "")


def test_functions_near_the_limit_of_recursion_are_recorded(tmp_path: Path) -> None:
    _, run = run_beside(
        tmp_path / "deep.py",
        """
calls = 0
def make(depth):
    space = {}
    exec(f"def deep{depth}(go, depth):\\n    go(depth + 1)", space)
    return space[f"deep{depth}"]
made = [make(i) for i in range(3000)]
def go(depth):
    global calls
    calls += 1
    made[depth](go, depth)
try:
    go(0)
except RecursionError:
    pass
print(calls)
""",
    )
    assert of_python(run)["__main__.go"] == int(run.stdout)


def test_what_the_library_makes_is_not_of_the_program(tmp_path: Path) -> None:
    _, run = run_beside(
        tmp_path / "tuples.py",
        "import collections\nP = collections.namedtuple('P', 'x y')\nP(1, 2)._replace(x=3)\n",
    )
    assert set(of_python(run)) == {"__main__.<module>"}
