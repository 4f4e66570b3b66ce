"""headrace.phase: with a tracer, without, and as a file of a simulation's own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import headrace
import pytest
from headrace import phases
from phase_tools import HERE, Tracer

USES = HERE / "scripts" / "use_phases.py"
CALLS = [
    *("begin dump", "begin inner", "end inner", "end dump"),
    *("begin twice", "begin twice", "end twice", "end twice"),
    *("begin raises", "end raises"),
    *("begin added", "end added", "begin added", "end added"),
    *("begin waited", "begin waited/inside", "end waited/inside", "end waited"),
    *("begin grün", "end grün"),
    *("begin 7", "end 7"),
    *("begin thread", "end thread"),
]


def test_calls_of_the_tracer(tracer: Tracer) -> None:
    assert tracer.calls([sys.executable, USES]) == CALLS
    assert tracer.run([sys.executable, USES]) == "ended\n"


def test_one_copied_file(tracer: Tracer, tmp_path: Path) -> None:
    """Of another interpreter, which has no Headrace."""
    shutil.copy(phases.__file__, tmp_path / "phases.py")
    text = USES.read_text().replace("from headrace import phase", "from phases import phase")
    (tmp_path / "simulation.py").write_text(text)
    command = [
        "/usr/bin/python3",
        "-I",
        "-c",
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import simulation",
    ]
    assert tracer.calls(command) == CALLS
    assert tracer.run(command) == "ended\n"


def test_absent_it_gives_functions_back() -> None:
    def function() -> int:
        return 7

    with headrace.phase("looks for the tracer"):
        pass
    assert headrace.phase("any")(function) is function
    assert headrace.phase("one") is headrace.phase("other")


def test_exceptions_pass() -> None:
    with pytest.raises(KeyError), headrace.phase("raises"):
        raise KeyError
    with pytest.raises(StopIteration), headrace.phase("raises"):
        raise StopIteration


def test_many_threads_look_at_once(tracer: Tracer) -> None:
    script = (
        "import threading, headrace\n"
        "go = threading.Barrier(8)\n"
        "def work():\n"
        "    go.wait()\n"
        "    with headrace.phase('work'): pass\n"
        "threads = [threading.Thread(target=work) for _ in range(8)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
    )
    calls = tracer.calls([sys.executable, "-c", script])
    assert sorted(calls) == ["begin work"] * 8 + ["end work"] * 8
    assert threading.active_count() >= 1


@pytest.mark.parametrize("traced", [False, True])
def test_a_generator_is_refused(tracer: Tracer, traced: bool) -> None:
    """In the same way with and without a tracer."""
    script = (
        "import headrace\n"
        "try:\n"
        "    @headrace.phase('parts')\n"
        "    def parts(): yield 1\n"
        "except TypeError as error: print(error)\n"
    )
    more = {"LD_PRELOAD": str(tracer.library)} if traced else {}
    assert tracer.run([sys.executable, "-c", script], **more).startswith("parts is a generator")


def test_importing_loads_little() -> None:
    """Neither native code nor what takes long; and no table, log or page."""
    code = "import sys; before = set(sys.modules); import headrace; print(*sorted(set(sys.modules) - before))"
    command = [sys.executable, "-S", "-c", code]
    package = str(Path(phases.__file__).parents[1])
    done = subprocess.run(command, env={"PYTHONPATH": package}, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "headrace", "headrace.phases", "headrace.regions"]
