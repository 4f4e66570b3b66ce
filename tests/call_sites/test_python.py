"""The Python code of call sites, under every CPython that is at hand."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import headrace as command
from headrace.analysis.call_sites import place
from python_tools import HERE, MORE, VERSIONS, find_pythons, python_line, version_of

FOUND = find_pythons()
SIMULATE = str(HERE / "simulate.py")
QUICK = (
    "-B",
    "-S",
)  # few imports: the time that a thread spends on new stacks is bounded, also where little is left


@pytest.fixture(params=FOUND)
def python(request: pytest.FixtureRequest) -> str:
    """An interpreter."""
    return FOUND[request.param]


def test_every_version_is_at_hand() -> None:
    """The other tests run under those that are."""
    if missing := [version for version in VERSIONS if version not in FOUND]:
        pytest.skip(f"no CPython {', '.join(missing)} here: name them in {MORE}")


def qualified(python: str) -> bool:
    return version_of(python) != "3.10"


def shown(site: dict[str, Any]) -> tuple[str, str, int]:
    """Function, file's last part and line of the frame that is shown."""
    frame = site["frames"][site["show"]]
    assert frame["python"]
    return frame["function"], frame["file"].rsplit("/", 1)[-1], frame["line"]


def of_python(site: dict[str, Any]) -> list[tuple[str, int]]:
    """Function and line of its Python frames, which come first."""
    frames = [frame for frame in site["frames"] if frame["python"]]
    assert frames == site["frames"][: len(frames)]
    assert all(not frame["python"] and frame["offset"] for frame in site["frames"][len(frames) :])
    return [(frame["function"], frame["line"]) for frame in frames]


@pytest.fixture
def simulated(python: str, sited: Callable, tmp_path: Path) -> Any:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "library.py").write_text("def save(name):\n    open(name, 'w').close()\n")
    return sited(python, *QUICK, SIMULATE, tmp_path)


def test_every_kind_of_code(python: str, simulated: Any) -> None:
    line = {mark: python_line("simulate.py", mark) for mark in ("open_one", "function", "method", "inner")}
    assert shown(simulated.of("function")) == ("open_one", "simulate.py", line["open_one"])
    assert of_python(simulated.of("function")) == [
        ("open_one", line["open_one"]),
        ("<module>", line["function"]),
    ]
    names = ("Grid.dump", "Grid.Inner.dump") if qualified(python) else ("dump", "dump")
    assert shown(simulated.of("method")) == (names[0], "simulate.py", line["method"])
    assert shown(simulated.of("inner")) == (names[1], "simulate.py", line["inner"])
    for name in ("lambda", "generator", "comprehension"):
        found = shown(simulated.of(name))
        assert found[1:] == ("simulate.py", python_line("simulate.py", name)), name
    assert shown(simulated.of("lambda"))[0] == "<lambda>"
    assert shown(simulated.of("unicode"))[0] == "grün"
    thread = of_python(simulated.of("thread"))
    assert thread[0] == ("open_one", line["open_one"])
    assert [name.rsplit(".", 1)[-1] for name, _ in thread[1:]] == ["run", "_bootstrap_inner", "_bootstrap"]
    for name in ("handler", "finally"):
        assert shown(simulated.of(name))[0] == "open_one"


def test_code_without_a_file_of_its_own(simulated: Any) -> None:
    assert shown(simulated.of("string")) == ("<module>", "<string>", 3)
    assert shown(simulated.of("named")) == ("<module>", "input.deck", 1)
    # Objects of code that is gone lie where those of code before it lay.
    for number in range(4):
        assert shown(simulated.of(f"made{number}")) == ("<module>", f"{number}.deck", number + 1)


def test_deep_recursion_keeps_the_innermost(simulated: Any) -> None:
    frames = of_python(simulated.of("recursion"))
    line = python_line("simulate.py", "recursion")
    assert len(frames) == 32
    assert frames[0][0] == "open_one"
    assert frames[2:] == [("recurse", line)] * 30


def test_the_user_s_own_line_comes_first(simulated: Any) -> None:
    site = simulated.of("by library")
    assert [name for name, _ in of_python(site)] == ["save", "<module>"]
    assert shown(site) == ("<module>", "simulate.py", python_line("simulate.py", "library"))
    assert place(site) == f"<module> at simulate.py:{python_line('simulate.py', 'library')}"
    imported = next(
        simulated.sites.sites[simulated.sites.open_of[row["record"]]]
        for row in simulated.log.files.to_pylist()
        if row["path"].endswith("site-packages/library.py")
    )
    assert shown(imported)[:2] == ("<module>", "simulate.py")
    assert imported["frames"][0]["file"].startswith("<frozen importlib")


def test_operations_that_stand_out(simulated: Any) -> None:
    site = simulated.of("sizes", "largest_write")
    assert shown(site) == ("<module>", "simulate.py", python_line("simulate.py", "largest"))
    assert site["bytes"] == 100_000


def test_what_show_says(python: str, sited: Callable, tmp_path: Path) -> None:
    name = tmp_path / "out"
    sited(python, *QUICK, "-c", f"def f():\n    open({str(name)!r}, 'w').write('x')\n\nf()")
    text = command("show", tmp_path / "job.hr").stdout
    assert "opened by f at <string>:2" in " ".join(text.split())


def test_forks_and_other_interpreters(python: str, sited: Callable, tmp_path: Path) -> None:
    others = [FOUND[key] for key in ("3.12", "3.10", "system") if FOUND.get(key, python) != python]
    other = others[0] if others else python
    done = sited(python, *QUICK, HERE / "forks.py", tmp_path, other)
    line = python_line("forks.py", "work")
    frames = of_python(done.of("forked"))
    assert frames[:2] == [("work", line), ("in_fork", python_line("forks.py", "forked"))]
    for name in ("fork", "spawn"):
        assert shown(done.of(name)) == ("work", "forks.py", line)
    assert of_python(done.of("other")) == [("other", 2), ("<module>", 4)]
    assert not [row for row in done.log.gaps.to_pylist() if row["what"] == "Python code of call sites"]


def test_ends_signals_and_other_threads(python: str, sited: Callable, tmp_path: Path) -> None:
    for _ in range(3):
        done = sited(python, *QUICK, HERE / "endings.py", tmp_path)
        for name in ("atexit", "signal", "main"):
            assert shown(done.of(name))[1:] == ("endings.py", python_line("endings.py", name))
        assert done.of("daemon0")["frames"][0]["function"] == "run_on"
        for path in tmp_path.glob("*[!r]"):
            path.unlink()


@pytest.mark.parametrize("program", [sys.executable, "/usr/bin/python3"])
def test_libraries(program: str, sited: Callable, tmp_path: Path) -> None:
    def has(module: str, name: str) -> bool:
        command = [program, "-c", f"from {module} import {name}"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    if not Path(program).exists() or not has("numpy", "save"):
        pytest.skip(f"{program} has no numpy")
    with_h5py = has("h5py", "File")  # Debian's package for MPI alone makes an empty h5py
    done = sited(program, HERE / "libraries.py", tmp_path, *(["h5py"] if with_h5py else []))
    found = {"saved.npy": "save", "raw": "tofile", "text": "savetxt"}
    for name, mark in found.items():
        assert shown(done.of(name)) == ("with_numpy", "libraries.py", python_line("libraries.py", mark)), name
    assert "/numpy/" in done.of("saved.npy")["frames"][0]["file"]
    if with_h5py:
        site = done.of("data.h5")
        assert shown(site) == ("with_h5py", "libraries.py", python_line("libraries.py", "h5py"))
        assert "site-packages" in site["frames"][0]["file"] or "dist-packages" in site["frames"][0]["file"]
        written = done.of("data.h5", "largest_write")
        assert shown(written)[:2] == ("with_h5py", "libraries.py")


def test_greenlets(sited: Callable, tmp_path: Path) -> None:
    pytest.importorskip("greenlet")
    done = sited(sys.executable, HERE / "greenlets.py", tmp_path)
    assert of_python(done.of("switched")) == [("inner", python_line("greenlets.py", "greenlet"))]
    assert of_python(done.of("after")) == [("<module>", python_line("greenlets.py", "after"))]


def test_ranks_of_mpi4py(sited: Callable, tmp_path: Path) -> None:
    launcher = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    has = ["/usr/bin/python3", "-c", "import mpi4py.MPI"]
    if not launcher or subprocess.run(has, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs mpi4py and an MPI (Debian: python3-mpi4py)")
    program = ["/usr/bin/python3", HERE / "ranks.py", tmp_path / "shared"]
    done = sited(launcher, "-np", "2", *program)
    records = {row["record"] for row in done.log.files.to_pylist() if row["path"].endswith("/shared")}
    sites = [done.sites.sites[index] for record in records for index in done.sites.of_record(record)]
    opened = [site for site in sites if site["what"] == "open"]
    assert opened
    for site in opened:
        assert shown(site) == ("dump", "ranks.py", python_line("ranks.py", "open"))


def test_a_program_that_embeds_an_interpreter(
    python: str, sited: Callable, compiled: Callable, tmp_path: Path
) -> None:
    """Loaded as a plug-in, unloaded, and then asked for no more."""
    question = (
        "import sysconfig; print(sysconfig.get_config_var('LIBDIR'), sysconfig.get_config_var('LDLIBRARY'))"
    )
    words = subprocess.run(
        [python, "-c", question], capture_output=True, text=True, check=True
    ).stdout.split()
    library = Path(*words)
    if len(words) != 2 or ".so" not in library.name or not library.exists():
        pytest.skip(f"{python} has no library of its own")
    home = subprocess.run(
        [python, "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True, check=True
    ).stdout.strip()
    done = sited(
        compiled("embeds.c", "-O1", "-ldl"), library, tmp_path, env={**os.environ, "PYTHONHOME": home}
    )
    assert of_python(done.of("embedded")) == [("inner", 2), ("<module>", 3)]
    assert of_python(done.of("later")) == []
    assert "main" in done.functions("later")


def test_when_memory_runs_out_it_is_said(python: str, sited: Callable, tmp_path: Path) -> None:
    program = tmp_path / "many.py"
    lines = [f"def f{n}_{'x' * 180}(name):\n    open(name, 'w').close()" for n in range(600)]
    lines += [f"f{n}_{'x' * 180}({str(tmp_path)!r} + '/{n}')" for n in range(600)]
    program.write_text("\n".join(lines))
    done = sited(python, *QUICK, program, options=("--memory", "512KiB"))
    gaps = {row["what"]: row["amount"] for row in done.log.gaps.to_pylist()}
    lost = gaps.get("Python code of call sites", 0) + gaps.get("call sites", 0)
    assert lost > 0
    assert of_python(done.of("0"))[0][1] == 2


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the order of frames is that of this machine")
def test_machine_code_is_behind_it(python: str, simulated: Any) -> None:
    frames = simulated.of("function")["frames"]
    assert len([frame for frame in frames if not frame["python"]]) > 5
