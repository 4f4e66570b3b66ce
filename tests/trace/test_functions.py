"""Functions of programs that were compiled with -finstrument-functions are regions, by their names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from trace_tools import HERE, Traced, compile_program

LIBRARY = "int of_library(int value) { return value; }\n"


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("called")
    (place / "library.c").write_text(LIBRARY)
    library = place / "libcalled.so"
    compile_program("gcc -shared -fPIC -finstrument-functions", [place / "library.c"], library)
    exclude = "-finstrument-functions-exclude-file-list=/usr/"
    return compile_program(
        f"g++ -O1 -pthread -finstrument-functions {exclude}",
        [HERE / "c" / "called.cc", library, f"-Wl,-rpath,{place}"],
        place / "called",
    )


def test_functions_have_names(program: Path, tmp_path: Path) -> None:
    subprocess.run([program], check=True, timeout=60)
    traced = Traced(tmp_path, [program], ["--trace=functions"])
    enters = traced.named("enter")
    assert enters["main"] == enters["of_library"] == 1
    assert enters["shapes::Square::grow(int) const"] == 10
    assert enters["int shapes::area<int>(int)"] == 10
    assert enters["recursive(int)"] == 21
    assert enters["hidden(int)"] == 1 + 300
    assert all(row["layer"] in ("function", "thread") for row in traced.rows())
    # The child ends in work(), which it was not in before the fork; what longjmp left ends with its caller.
    left_open = enters - traced.named("leave")
    assert left_open == {}
    assert traced.accounts()["cut"] == 2
    traced.verify()


def test_short_ones_can_be_left_out(program: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [program], ["--trace=functions", "--trace-longer", "1s"])
    assert traced.rows() == []
    assert traced.accounts()["short"] > 300
    traced.verify()


def test_they_can_be_chosen_by_their_files(program: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [program], ["--trace", "--trace-skip", "*/called"])
    functions = {row["name"] for row in traced.rows() if row.get("layer") == "function"}
    assert functions == {"of_library"}
    assert traced.accounts()["name"] > 300
    traced.verify()


def test_a_stripped_program_has_places(program: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "called"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    traced = Traced(tmp_path, [stripped], ["--trace=functions"])
    assert sum(name.startswith("called+0x") for name in traced.named("enter")) >= 10


def test_hooks_of_the_program_stay_its_own(tmp_path: Path) -> None:
    source = tmp_path / "own.c"
    source.write_text(
        "#define NONE __attribute__((no_instrument_function))\n"
        "static int calls;\n"
        "void __cyg_profile_func_enter(void* f, void* c) NONE;\n"
        "void __cyg_profile_func_exit(void* f, void* c) NONE;\n"
        "void __cyg_profile_func_enter(void* f, void* c) { (void)f; (void)c; ++calls; }\n"
        "void __cyg_profile_func_exit(void* f, void* c) { (void)f; (void)c; }\n"
        "int main(void) { return calls; }\n"
    )
    program = compile_program("gcc -finstrument-functions", [source], tmp_path / "own")
    traced = Traced(tmp_path, [program], ["--trace"], status=1)
    assert "main" not in traced.named("enter")


HOOKS = """
#include <stdio.h>
static int entered, left;
void __cyg_profile_func_enter(void *function, void *caller) { (void)function, (void)caller, entered++; }
void __cyg_profile_func_exit(void *function, void *caller) { (void)function, (void)caller, left++; }
__attribute__((destructor)) static void tell(void) { printf("%d %d\\n", entered, left); }
"""
HOOKED = "int twice(int n) { return 2 * n; }\nint main(void) { return twice(5) - 10; }\n"


def test_hooks_of_another_library_are_called_too(tmp_path: Path) -> None:
    (tmp_path / "hooks.c").write_text(HOOKS)
    (tmp_path / "hooked.c").write_text(HOOKED)
    library = compile_program("gcc -shared -fPIC", [tmp_path / "hooks.c"], tmp_path / "libhooks.so")
    program = compile_program(
        "gcc -finstrument-functions",
        [tmp_path / "hooked.c", library, f"-Wl,-rpath,{tmp_path}"],
        tmp_path / "hooked",
    )
    for options in ([], ["--trace"]):
        place = tmp_path / f"with{''.join(options)}"
        place.mkdir()
        assert Traced(place, [program], options).stdout == "2 2\n"
    assert Traced(tmp_path, [program]).named("enter")["twice"] == 1


def test_a_library_of_the_same_name_elsewhere_gives_no_names(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    for place, name in ((tmp_path, "other"), (inside, "plug")):
        (place / "p.c").write_text(f"int {name}(int n) {{ return n + 1; }}\n")
        compile_program("gcc -shared -fPIC -finstrument-functions", [place / "p.c"], place / "p.so")
    (tmp_path / "main.c").write_text(
        "#include <dlfcn.h>\n#include <unistd.h>\n"
        'int main(void) { if (chdir("inside")) return 1; void *p = dlopen("./p.so", RTLD_NOW);\n'
        '  return p ? ((int (*)(int))dlsym(p, "plug"))(-1) : 2; }\n'
    )
    program = compile_program("gcc", [tmp_path / "main.c", "-ldl"], tmp_path / "main")
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        entered = Traced(tmp_path, [program], ["--trace=functions"]).named("enter")
    finally:
        os.chdir(here)
    assert len(entered) == 1 and next(iter(entered)).startswith("p.so+0x"), entered
