"""From addresses to names: languages, separate debug information, and files that are not what they were."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from headrace.analysis._symbols import DEBUG_VARIABLE, readable
from headrace.analysis.call_sites import call_sites, place
from site_tools import line_of


@pytest.mark.parametrize("dwarf", ["-gdwarf-4", "-gdwarf-5"])
def test_templates_inlines_and_namespaces(
    dwarf: str, compiled: Callable, sited: Callable, tmp_path: Path
) -> None:
    done = sited(compiled("grid.cc", "-O2", dwarf), tmp_path)
    frames = done.of("dump")["frames"]
    assert frames[0]["function"].startswith("sim::Grid<double>::opened(std::")
    assert (frames[0]["line"], frames[0]["inlined"]) == (line_of("grid.cc", "open"), True)
    assert frames[1]["function"].startswith("sim::Grid<double>::dump(std::")
    assert (frames[1]["line"], frames[1]["inlined"]) == (line_of("grid.cc", "inlined at"), False)
    assert frames[0]["file"].endswith("tests/call_sites/c/grid.cc")
    # The stream opens inside the C++ library; what is shown is the program's own line.
    stream = done.of("print")
    shown = stream["frames"][stream["show"]]
    assert shown["function"].startswith("sim::Grid<double>::print(")
    assert shown["line"] == line_of("grid.cc", "stream")
    assert stream["show"] > 0


def test_fortran(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    done = sited(compiled("field.f90", "-O1"), tmp_path)
    site = done.of("field")
    assert place(site) == f"field_io::write_field at field.f90:{line_of('field.f90', 'open')}"


@pytest.mark.parametrize("where", ["beside", "directory", "build id"])
def test_separate_debug_files(
    where: str, compiled: Callable, sited: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, debug = tmp_path / "program", tmp_path / "program.debug"
    shutil.copy(compiled("places.c", "-O1"), program)
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", "--strip-all", program], check=True)
    if where != "build id":
        subprocess.run(["objcopy", "--add-gnu-debuglink=program.debug", program], check=True, cwd=tmp_path)
    done = sited(program, "plain", tmp_path)
    elsewhere = tmp_path / "elsewhere"
    if where == "directory":
        elsewhere.mkdir()
        debug.rename(elsewhere / "program.debug")
    if where == "build id":
        number = done.of("plain")["frames"] and next(
            row["build_id"] for row in done.log.table("modules").to_pylist() if row["path"] == str(program)
        )
        (elsewhere / ".build-id" / number[:2]).mkdir(parents=True)
        debug.rename(elsewhere / ".build-id" / number[:2] / f"{number[2:]}.debug")
        monkeypatch.setenv(DEBUG_VARIABLE, str(elsewhere))
    found = call_sites(done.log, [str(elsewhere)] if where == "directory" else [])
    opened = [site for site in found.sites if site["what"] == "open"]
    assert sorted(place(site).split(":")[0] for site in opened) == ["open_file at places.c"] * 2


def test_a_rebuilt_program_is_not_asked(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    program = tmp_path / "program"
    shutil.copy(compiled("places.c", "-O1"), program)
    done = sited(program, "plain", tmp_path)
    program.unlink()
    shutil.copy(compiled("places.c", "-O2", "-DREBUILT"), program)
    frames = call_sites(done.log).sites[0]["frames"]
    assert [frame["function"] for frame in frames if frame["module"] == str(program)][:3] == [None] * 3
    program.unlink()
    assert call_sites(done.log).sites[0]["frames"][0]["module"] == str(program)


def test_without_build_ids_the_time_decides(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    program = tmp_path / "program"
    shutil.copy(compiled("places.c", "-O1", "-Wl,--build-id=none"), program)
    done = sited(program, "plain", tmp_path)
    assert done.functions("plain")[:2] == ["open_file", "open_plainly"]
    program.touch()
    assert call_sites(done.log).sites[0]["frames"][0]["function"] is None


def test_plug_ins_that_take_the_same_place(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    """Two plug-ins of one shape, loaded one after the other at one address, are told apart."""
    program = compiled("loads.c", "-O1", "-ldl")
    plugins = [
        compiled("plugin.c", "-O1", "-shared", "-fPIC", f"-DENTRY=entry_{letter}", name=f"{letter}.so")
        for letter in "abc"
    ]
    done = sited(program, tmp_path, *plugins)
    assert [done.functions(str(number))[0] for number in range(3)] == ["entry_a", "entry_b", "entry_c"]


def test_a_deleted_plug_in_has_offsets(compiled: Callable, sited: Callable, tmp_path: Path) -> None:
    plugin = tmp_path / "gone.so"
    shutil.copy(compiled("plugin.c", "-O1", "-shared", "-fPIC", name="plugin.so"), plugin)
    done = sited(compiled("loads.c", "-O1", "-ldl"), tmp_path, plugin)
    assert not plugin.exists()
    frames = done.of("0")["frames"]
    assert (frames[0]["function"], frames[0]["module"]) == (None, str(plugin))
    assert "main" in done.functions("0")


def test_cpython(sited: Callable, tmp_path: Path) -> None:
    target = tmp_path / "out"
    done = sited(sys.executable, "-c", f"open({str(target)!r}, 'w').write('x')")
    assert len(done.of("out")["frames"]) > 5
    assert place(done.of("out"))


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN3sim4GridIdE4dumpEPKc.isra.0", "sim::Grid<double>::dump(char const*)"),
        ("__field_io_MOD_write_field", "field_io::write_field"),
        ("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place"),
        ("plain", "plain"),
        ("part.constprop.0", "part"),
        ("_Zbroken", "_Zbroken"),
        ("?", None),
        (None, None),
    ],
)
def test_names_in_the_program_s_language(symbol: str | None, name: str | None) -> None:
    assert readable(symbol) == name
