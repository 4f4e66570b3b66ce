"""Programs with sanitizers, whose runtime insists on being the first library, run and are captured."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from test_start_block import WAYS
from tracing import Compile, Tracer

ADDRESS = "-fsanitize=address"


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("sanitizer", ["address", "thread", "undefined", "leak"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_command_itself(build: Compile, tracer: Tracer, compiler: str, sanitizer: str) -> None:
    program = build("start_block", compiler, "-D_GNU_SOURCE", f"-fsanitize={sanitizer}")
    assert tracer.compare([program]).status == 0


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_threads_that_write_race_with_nobody(
    build: Compile, tracer: Tracer, tmp_path: Path, compiler: str
) -> None:
    program = build("two_writers", compiler, "-pthread", "-fsanitize=thread")
    done = tracer.compare([program, *(tmp_path / name for name in "abc")])
    assert (done.status, done.output) == (0, b"done\n")
    assert b"ThreadSanitizer" not in done.errors


@pytest.mark.parametrize("variables", [{}, {"LD_PRELOAD": ""}], ids=str)
def test_every_way_of_starting_one(
    build: Compile, tracer: Tracer, tmp_path: Path, variables: dict[str, str]
) -> None:
    program = tmp_path / "program"  # a name that a shell takes as it is
    program.symlink_to(build("start_block", "gcc", "-D_GNU_SOURCE", ADDRESS))
    ways = [way for way in WAYS if way != "library"]
    done = tracer.compare([program, *ways], env=variables)
    assert done.status == 0
    assert done.captured > len(ways)


def test_behind_another_library_it_does_not_run_either(build: Compile, tracer: Tracer) -> None:
    program = build("start_block", "gcc", "-D_GNU_SOURCE", ADDRESS)
    runs = [tracer.run([program], capture, env={"LD_PRELOAD": "libm.so.6"}) for capture in (False, True)]
    assert runs[0].status == runs[1].status != 0
    assert all(b"runtime does not come first" in run.errors for run in runs)


def test_a_runtime_of_clang_that_is_shared(build: Compile, tracer: Tracer) -> None:
    program = build("start_block", "clang", "-D_GNU_SOURCE", ADDRESS, "-shared-libsan")
    place = {"LD_LIBRARY_PATH": output("clang", "-print-resource-dir") + "/lib/linux"}
    assert tracer.compare([program, "execv"], env=place).status == 0


@pytest.mark.parametrize("form", ["name", "path", "link"])
def test_a_runtime_that_the_user_preloads(tracer: Tracer, form: str) -> None:
    """As for extensions of Python that are built with it."""
    link = Path(output("gcc", "-print-file-name=libasan.so"))
    runtime = {"name": link.resolve().name.rsplit(".", 2)[0], "path": link.resolve(), "link": link}[form]
    command = [
        "sh",
        "-c",
        "echo $LD_PRELOAD > a; cat a; exec env python3 -c 'import os; os.system(\"wc -c < a\")'",
    ]
    variables = {"LD_PRELOAD": str(runtime), "ASAN_OPTIONS": "detect_leaks=0"}
    done = tracer.compare(command, env=variables)
    assert done.status == 0
    assert done.captured > 3


def test_what_it_finds_is_reported(tracer: Tracer, tmp_path: Path) -> None:
    source = tmp_path / "overflow.c"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n"
        "int main(int n, char** words) {\n"
        '  char* room = malloc(4 + n);\n  FILE* file = fopen("a", "w");\n  fputs(words[0], file);\n'
        "  room[4 + n] = 1;\n  fclose(file);\n  return room[0];\n}\n"
    )
    program = tmp_path / "overflow"
    subprocess.run(["gcc", "-g", ADDRESS, source, "-o", program], check=True)
    bare, captured = (tracer.run([program], capture) for capture in (False, True))
    assert bare.status == captured.status != 0
    assert b"heap-buffer-overflow" in captured.errors
    assert captured.captured == 1
