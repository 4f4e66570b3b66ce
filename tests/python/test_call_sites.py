"""Call sites of made logs: hostile names, missing rows, repeated rows, many files."""

from __future__ import annotations

import json
from pathlib import Path

import headrace
import pytest
from commands import headrace as command
from headrace.analysis.call_sites import call_sites, place, short_name, shown_frame
from made_logs import LogMaker

HOSTILE = [
    "/x/<script>alert(1)</script>",
    "/x/a\nb\x1b[31m",
    "/rtl/\u202egnp",
    b"/x/\xff\xfe",
    "relative.so",
    "",
]


def made(tmp_path: Path, module: str | bytes = "/nowhere/program", repeats: int = 1) -> Path:
    maker = LogMaker()
    process = maker.process(1)
    record = maker.file(process, "/data/out", opens=1, writes=1, bytes_written=10)
    for _ in range(repeats):
        maker.add("modules", module=5, path=maker.name(module), build_id="00ff")
        maker.add("stacks", stack=7, depth=1, module=0, offset=0xDEAD)
        maker.add("stacks", stack=7, depth=0, module=5, offset=0x1234)
    common = {"process": process, "record": record}
    maker.add("sites", **common, what="open", stack=7, bytes=0, time_ns=0, at_ns=0)
    maker.add("sites", **common, what="slowest_write", stack=7, bytes=10, time_ns=500, at_ns=9)
    maker.add("sites", **common, what="largest_write", stack=99, bytes=10, time_ns=500, at_ns=9)
    return maker.write(tmp_path / "a.hr")


def test_unknown_modules_give_offsets(tmp_path: Path) -> None:
    with headrace.open(made(tmp_path, repeats=2)) as log:
        found = call_sites(log)
        record = log.files.to_pylist()[0]["record"]
    kinds = {site["what"]: site for site in found.sites}
    frames = kinds["open"]["frames"]
    assert [(frame["module"], frame["offset"]) for frame in frames] == [
        ("/nowhere/program", 0x1234),
        (None, 0xDEAD),
    ]
    assert place(kinds["open"]) == "program+0x1234"
    assert (kinds["slowest_write"]["time_ns"], kinds["slowest_write"]["bytes"]) == (500, 10)
    assert kinds["largest_write"]["frames"] == [] and place(kinds["largest_write"]) == ""
    assert found.sites[found.open_of[record]]["what"] == "open"
    assert len(found.of_record(record)) == 3 and found.of_record(1) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_module_names(name: str | bytes, tmp_path: Path) -> None:
    path = made(tmp_path, name)
    shown = command("show", path)
    assert shown.returncode == 0, shown.stderr
    assert not set(shown.stdout) & set("\x1b\u202e\x00")
    facts = json.loads(command("show", "--json", path).stdout)
    assert [site["what"] for site in facts["rows"][0]["sites"]] == ["open", "slowest_write", "largest_write"]


def first_function(log: headrace.JobLog) -> str | None:
    site = next(site for site in call_sites(log).sites if site["what"] == "open")
    found: str | None = site["frames"][0]["function"]
    return found


def test_modules_that_are_no_programs(tmp_path: Path) -> None:
    """A log may name anything: devices and pipes are not opened, and damaged files give offsets."""
    for number, content in enumerate([b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 500, b"text" * 100]):
        file = tmp_path / f"module-{number}"
        file.write_bytes(content)
        with headrace.open(made(tmp_path, str(file))) as log:
            assert first_function(log) is None
    for name in ["/dev/zero", "/dev/stdin", str(tmp_path)]:
        with headrace.open(made(tmp_path, name)) as log:
            assert first_function(log) is None


def test_a_log_without_call_sites(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.file(maker.process(1), "/data/out", opens=1)
    with headrace.open(maker.write(tmp_path / "a.hr")) as log:
        found = call_sites(log)
    assert (found.sites, found.open_of) == ([], {})


def test_many_files(tmp_path: Path) -> None:
    maker = LogMaker()
    process = maker.process(1)
    maker.add("modules", module=5, path=maker.name("/nowhere/program"), build_id="")
    for stack in range(1, 101):
        maker.add("stacks", stack=stack, depth=0, module=5, offset=stack)
    for number in range(30_000):
        row = {"process": process, "record": number + 1, "stack": number % 100 + 1, "at_ns": 0}
        maker.add("sites", **row, what="open", bytes=0, time_ns=0)
    with headrace.open(maker.write(tmp_path / "a.hr")) as log:
        found = call_sites(log)
        assert [site["calls"] for site in found.sites] == [300] * 100
        assert len(found.open_of) == 30_000
        assert found.sites[found.open_of[1]]["stack"] == f"{1:016x}"
        some = call_sites(log, records=[5, 105, 7])
        assert sorted(site["calls"] for site in some.sites) == [1, 2]


def frame(function: str | None, module: str | None, file: str | None = None) -> dict[str, object]:
    return {"function": function, "file": file, "line": 1, "module": module, "offset": 1, "inlined": False}


def test_the_frame_that_is_shown() -> None:
    system, program = "/usr/lib/libstdc++.so.6", "/home/me/program"
    assert shown_frame([]) == -1
    assert shown_frame([frame("f", system), frame("g", program)]) == 1
    assert shown_frame([frame("f", system), frame(None, program)]) == 1
    assert shown_frame([frame("H5Fopen", "/opt/lib/libheadrace.so"), frame("main", program)]) == 1
    assert shown_frame([frame("std::open", program), frame("main", program)]) == 1
    assert shown_frame([frame("f", program, "/usr/include/c++/12/fstream"), frame("main", program)]) == 1
    # A program may itself be installed with the system.
    assert shown_frame([frame("f", "/lib/x/tool")], {"/lib/x/tool"}) == 0
    assert shown_frame([frame(None, system), frame("f", system)]) == 1
    assert shown_frame([frame(None, None)]) == 0


def python(function: str | None, file: str | None) -> dict[str, object]:
    return {**frame(function, None, file), "offset": None, "python": True}


def test_the_frame_of_python_that_is_shown() -> None:
    machine = frame("main", "/home/me/program")
    installed = python("save", "/opt/venv/lib/python3.12/site-packages/numpy/lib/npyio.py")
    debian = python("File", "/usr/lib/python3/dist-packages/h5py/_hl/files.py")
    standard = python("copyfile", "/usr/lib/python3.11/shutil.py")
    frozen = python("get_data", "<frozen importlib._bootstrap_external>")
    for own in ("/home/me/simulate.py", "simulate.py", "<string>", "<stdin>", "/opt/python3/simulate.py"):
        mine = python("dump", own)
        assert shown_frame([frozen, installed, debian, standard, mine, python("f", "/x.py"), machine]) == 4
    assert shown_frame([frozen, installed, standard, machine]) == 1
    assert shown_frame([frozen, machine]) == 0
    assert shown_frame([python("f", None), installed, machine]) == 0


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_python(name: str | bytes, tmp_path: Path) -> None:
    text = name if isinstance(name, str) else name.decode(errors="replace")
    maker = LogMaker()
    process = maker.process(1)
    record = maker.file(process, "/data/out", opens=1)
    row = {"stack": 7, "module": 0, "offset": 0}
    maker.add("stacks", **row, depth=0, function=text, file=maker.name(name), line=1 << 40)
    maker.add("stacks", **row | {"offset": 5}, depth=1, function="", file=0, line=0)
    maker.add("sites", process=process, record=record, what="open", stack=7, bytes=0, time_ns=0, at_ns=0)
    path = maker.write(tmp_path / "a.hr")
    shown = command("show", path)
    assert shown.returncode == 0, shown.stderr
    assert not set(shown.stdout) & set("\x1b\u202e\x00")
    frames = json.loads(command("show", "--json", path).stdout)["rows"][0]["sites"][0]["frames"]
    assert [each["python"] for each in frames] == [name != "", False]


def test_names_of_functions_are_short() -> None:
    assert short_name("sim::Grid<double>::dump(std::string const&) const") == "sim::Grid<double>::dump"
    assert short_name("(anonymous namespace)::f(int (*)(int))") == "(anonymous namespace)::f"
    assert short_name("operator()") == "operator()"
    assert short_name("A<" + "b" * 80 + ">::f(int)") == "A<…>::f"
    assert short_name("main") == "main"
