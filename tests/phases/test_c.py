"""<headrace/phases.h>: found however a program is linked, and absent without a trace."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from phase_tools import HERE, Tracer, compile_program

C = HERE / "c"
SOURCES = [C / "uses.c", C / "more.c", "-pthread"]
CALLS = ["begin dump", "begin more", "end more", "end (innermost)", "end not open"]
IN_THREADS = ["begin thread", "end thread"] * 4
COMPILERS = ["gcc", "clang", "g++ -x c++ -fpermissive -Wno-write-strings"]


def found(compiler: str) -> str:
    if not shutil.which(compiler.split()[0]):
        pytest.skip(f"{compiler} is not installed")
    return compiler


def check(calls: list[str]) -> None:
    assert sorted(calls[:8]) == sorted(IN_THREADS)
    assert calls[8:] == CALLS


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    "options",
    ["-O0", "-O2 -fPIE -pie", "-O2 -fno-pie -no-pie", "-O2 -DLOOKS_UP -no-pie", "-O2 -flto", "-O2 -rdynamic"],
)
def test_executables(tracer: Tracer, tmp_path: Path, compiler: str, options: str) -> None:
    if compiler == "clang" and "-flto" in options:
        options += " -fuse-ld=lld" if shutil.which("ld.lld") else " -fno-lto"
    program = compile_program(found(compiler), [*options.split(), *SOURCES], tmp_path / "program")
    check(tracer.calls([program]))
    assert tracer.run([program]) == ""


@pytest.mark.parametrize("standard", ["c99 -D_POSIX_C_SOURCE=200809L", "c11 -D_GNU_SOURCE", "gnu17"])
def test_strict_c(tracer: Tracer, tmp_path: Path, standard: str) -> None:
    options = [
        "-pedantic-errors",
        "-Wconversion",
        "-Wstrict-prototypes",
        "-Wshadow",
        *f"-std={standard}".split(),
    ]
    check(tracer.calls([compile_program("gcc", [*options, *SOURCES], tmp_path / "program")]))


@pytest.mark.parametrize("static", ["-static", "-static-pie -fPIE", "-static -DLOOKS_UP"])
def test_static_programs(tracer: Tracer, tmp_path: Path, static: str) -> None:
    """A linked tracer is found, and where there is none nothing is."""
    alone = compile_program("gcc", [*static.split(), *SOURCES], tmp_path / "alone")
    assert tracer.run([alone]) == ""
    linked = compile_program("gcc", [*static.split(), C / "tracer.c", *SOURCES], tmp_path / "linked")
    check(tracer.calls([linked]))


def test_another_c_library(tracer: Tracer, tmp_path: Path) -> None:
    program = compile_program(found("musl-gcc"), SOURCES, tmp_path / "program")
    assert tracer.run([program]) == ""
    static = compile_program("musl-gcc -static", [C / "tracer.c", *SOURCES], tmp_path / "static")
    tracer.run([static], PHASE_LOG=str(tracer.log))
    assert tracer.log.read_text().splitlines()[8:] == CALLS


def test_plugins(tracer: Tracer, tmp_path: Path) -> None:
    """Also loaded for one object alone."""
    plugin = compile_program("gcc -shared -fPIC", [C / "more.c"], tmp_path / "plugin.so")
    program = compile_program("gcc -no-pie", [C / "loads.c"], tmp_path / "program")
    assert tracer.calls([program, plugin]) == ["begin more", "end more"]
    assert tracer.run([program, plugin]) == ""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("options", ["-std=c++98", "-std=c++17 -O2", "-std=c++20 -no-pie"])
def test_scopes(tracer: Tracer, tmp_path: Path, compiler: str, options: str) -> None:
    program = compile_program(
        found(compiler), [*options.split(), "-pedantic-errors", C / "scopes.cc"], tmp_path / "program"
    )
    cut = "x" * 255
    assert tracer.calls([program]) == [
        *("begin returns", "end returns"),
        *("begin outer", "begin left open", "end outer"),
        *("begin caught", "end caught"),
        *("begin dump 17", f"begin {cut}", f"end {cut}", "end dump 17"),
    ]
    assert tracer.run([program]) == ""


def test_a_phase_without_a_scope_is_a_warning(tmp_path: Path) -> None:
    source = tmp_path / "a.cc"
    source.write_text('#include <headrace/phases.h>\nint main() { headrace::Phase("gone"); }\n')
    with pytest.raises(AssertionError, match="nodiscard"):
        compile_program("g++ -std=c++17", [source], tmp_path / "program")


def test_programs_define_no_symbol_of_the_tracer(tmp_path: Path) -> None:
    program = compile_program("gcc -rdynamic -O0", SOURCES, tmp_path / "program")
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.split("\n")
    named = [
        line.split() for line in symbols if line.endswith((" headrace_phase_begin", " headrace_phase_end"))
    ]
    assert [kind for *_, kind, name in named] == ["w", "w"]
