"""headrace.i with its plug-in, and without."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from phase_tools import HERE, Tracer, compile_program, config, needs_mpy

SCRIPT = """
func work { inside = headrace_phase("work"); write, "works"; }
func fails { inside = headrace_phase("fails"); error, "on purpose"; }
headrace_phase, "dump";
work;
if (catch(-1)) write, "caught"; else fails;
headrace_phase_end, "dump";
headrace_phase_end;
"""
CALLS = [
    *("begin dump", "begin work", "end work", "begin fails", "end fails", "end dump"),
    "end (innermost)",
]
SOURCES = Path(config("--include-dir")) / "headrace" / "yorick"


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of headrace.i and headrace.so."""
    directory = tmp_path_factory.mktemp("yorick")
    built = directory / "with blank"
    subprocess.run(["sh", SOURCES / "build", built], check=True)
    assert sorted(each.name for each in built.iterdir()) == ["headrace.i", "headrace.so"]
    return built


@pytest.fixture(scope="module")
def cure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What makes Debian's mpy run with more than two ranks."""
    source = HERE.parents[1] / "examples" / "pf3d" / "mpy_recv.c"
    return compile_program(
        "mpicc.openmpi -shared -fPIC -O2", [source], tmp_path_factory.mktemp("cure") / "cure.so"
    )


def script(directory: Path, headrace_i: Path, text: str = SCRIPT) -> Path:
    path = directory / "script.i"
    path.write_text(f'#include "{headrace_i}"\n{text}\nquit;\n')
    return path


def test_calls_of_the_tracer(tracer: Tracer, plugin: Path, tmp_path: Path) -> None:
    path = script(tmp_path, plugin / "headrace.i")
    assert tracer.calls(["yorick", "-batch", path]) == CALLS
    assert tracer.run(["yorick", "-batch", path]).split() == ["works", "caught"]


def test_without_the_plugin_it_does_nothing_and_says_so_once(tracer: Tracer, tmp_path: Path) -> None:
    lines = tracer.run(["yorick", "-batch", script(tmp_path, SOURCES / "headrace.i")]).splitlines()
    assert [line.strip() for line in lines if line.strip()] == [
        f"headrace.i: no headrace.so in {SOURCES}/ or where plug_in looks: phases are not recorded",
        "works",
        "caught",
    ]


def test_the_plugin_is_found_where_plug_in_looks(tracer: Tracer, plugin: Path, tmp_path: Path) -> None:
    path = script(tmp_path, SOURCES / "headrace.i")
    path.write_text(f'plug_dir, "{plugin}";\n' + path.read_text())
    assert tracer.calls(["yorick", "-batch", path]) == CALLS


def test_mistakes_are_errors_of_yorick(tracer: Tracer, plugin: Path, tmp_path: Path) -> None:
    text = 'if (catch(-1)) write, catch_message; else headrace_phase, "a", "b";\n'
    text += "if (catch(-1)) write, catch_message; else headrace_phase;"
    printed = tracer.run(["yorick", "-batch", script(tmp_path, plugin / "headrace.i", text)])
    assert [line.strip() for line in printed.splitlines()] == [
        "a phase has one name",
        "headrace_phase needs a name",
    ]


def test_help(tracer: Tracer, plugin: Path, tmp_path: Path) -> None:
    path = script(tmp_path, plugin / "headrace.i", "help, headrace_phase; help, headrace_phase_end;")
    printed = tracer.run(["yorick", "-batch", path])
    assert "DOCUMENT headrace_phase, name" in printed
    assert "DOCUMENT headrace_phase_end, name" in printed


@needs_mpy
@pytest.mark.parametrize("there", [True, False])
def test_ranks(tracer: Tracer, plugin: Path, cure: Path, tmp_path: Path, there: bool) -> None:
    headrace_i = (plugin if there else SOURCES) / "headrace.i"
    (tmp_path / "work.i").write_text(SCRIPT.replace("if (catch(-1))", "if (1)"))
    (tmp_path / "run.i").write_text(f'mp_include, "{headrace_i}";\nmp_include, "{tmp_path}/work.i";\nquit;\n')
    command = ["mpirun.openmpi", "-np", "4", "mpy.openmpi", "-batch", str(tmp_path / "run.i")]
    expected = [call for call in CALLS if "fails" not in call]
    if there:
        assert sorted(tracer.calls(command, preload=[cure])) == sorted(expected * 4)
    printed = tracer.run(command, LD_PRELOAD=str(cure))
    assert printed.count("no headrace.so") == (0 if there else 1)
    assert printed.count("works") == 4
    assert "PATH" in os.environ
