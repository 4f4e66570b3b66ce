"""The list of intercepted functions is complete for this machine; the checker notices when it is not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
INTERCEPT = ROOT / "src" / "intercept"
sys.path.insert(0, str(SCRIPTS))

import check_functions  # noqa: E402
from c_declarations import declared_functions  # noqa: E402
from file_functions import file_functions  # noqa: E402
from function_lists import ALIAS_MACROS, FUNCTION_MACROS, read_rows  # noqa: E402

Check = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def exported() -> set[str]:
    return check_functions.libc_exports(check_functions.own_libc())


@pytest.fixture(scope="module")
def touching(exported: set[str]) -> dict[str, str]:
    return file_functions(exported)


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """A copy of both lists that a test may spoil."""
    for name in ("functions.def", "left_out.def"):
        shutil.copy(INTERCEPT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def run_check(
    touching: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Check:
    """Runs the checker on the lists in a folder; the machine's headers are read once for all tests."""
    monkeypatch.setattr(check_functions, "file_functions", lambda exported: touching)

    def run(folder: Path, *options: str) -> tuple[int, str]:
        files = ["--intercepted", str(folder / "functions.def"), "--left-out", str(folder / "left_out.def")]
        return check_functions.main([*files, *options]), capsys.readouterr().err

    return run


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_lists_of_this_tree_are_complete() -> None:
    command = [sys.executable, SCRIPTS / "check_functions.py"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("functions.def", 'FUNCTION(dup, int, (int fd), (fd), descriptor, "duplicates a descriptor")\n'),
        ("functions.def", "ALIAS(__read, read)\n"),
        ("functions.def", "SPECIAL_ALIAS(open64, open)\n"),
        ("left_out.def", 'LEFT_OUT(dirfd, "works on memory only")\n'),
    ],
)
def test_a_removed_row_is_missed(run_check: Check, lists: Path, name: str, row: str) -> None:
    replace(lists / name, row, "")
    status, errors = run_check(lists)
    symbol = row[row.index("(") + 1 : row.index(",")]
    assert status == 1
    assert errors.startswith(f"{symbol} is neither intercepted nor left out")
    assert len(errors.splitlines()) == 2


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        (
            "functions.def",
            'FUNCTION(raed, int, (int fd), (fd), posix, "x")',
            "raed is no function of this C library",
        ),
        ("functions.def", "ALIAS(raed64, read)", "raed64 is no function of this C library"),
        (
            "functions.def",
            "ALIAS(preadv64v3, preadv3)",
            "an alias of preadv3, which no row defines",
        ),
        ("functions.def", "ALIAS(close, read)", "close is already listed at functions.def:"),
        ("left_out.def", 'LEFT_OUT(fwrtie, "x")', "fwrtie is no function of this C library"),
        ("left_out.def", 'LEFT_OUT(read, "x")', "read is already listed at functions.def:"),
        ("left_out.def", 'LEFT_OUT(malloc, "")', "malloc is left out without a reason"),
        ("left_out.def", 'LEFTOUT(malloc, "x")', "unknown row LEFTOUT"),
        ("left_out.def", 'LEFT_OUT(malloc, "x"', "the row has no closing parenthesis"),
    ],
)
def test_a_wrong_row_is_told_with_its_place(
    run_check: Check, lists: Path, name: str, row: str, message: str
) -> None:
    path = lists / name
    lines = path.read_text(encoding="utf-8").rstrip().splitlines()
    path.write_text("\n".join([*lines, row]) + "\n", encoding="utf-8")
    status, errors = run_check(lists)
    assert status == 1
    assert any(
        line.startswith(f"{name}:{len(lines) + 1}: ") and message in line for line in errors.splitlines()
    )


def test_a_row_for_a_newer_c_library_is_tolerated(run_check: Check, lists: Path) -> None:
    path = lists / "left_out.def"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + '#if __GLIBC_PREREQ(2, 99)\nLEFT_OUT(openat9, "x")\n#endif\n', encoding="utf-8")
    assert run_check(lists)[0] == 0
    path.write_text(text + '#if __GLIBC_PREREQ(2, 34)\nLEFT_OUT(openat9, "x")\n#endif\n', encoding="utf-8")
    assert run_check(lists)[0] == 1


def test_the_rules_find_what_is_known_to_touch_files(touching: dict[str, str]) -> None:
    """If the rules missed an intercepted function, they would miss new ones of its kind too."""
    rows = read_rows(INTERCEPT / "functions.def", FUNCTION_MACROS + ALIAS_MACROS)
    modules = {row.arguments[0]: row.arguments[4] for row in rows if row.macro in FUNCTION_MACROS}
    version = check_functions.glibc_version(check_functions.own_libc())
    missed = {
        row.arguments[0]
        for row in rows
        if row.since <= version
        and row.arguments[0] not in touching
        and modules[row.arguments[0] if row.macro in FUNCTION_MACROS else row.arguments[1]] != "process"
    }
    assert missed == {"msync"}  # they take addresses


def test_the_rules_leave_alone_what_touches_none(exported: set[str], touching: dict[str, str]) -> None:
    assert not touching.keys() & {
        "malloc",
        "memcpy",
        "snprintf",
        "strlen",
        "getenv",
        "pthread_create",
        "time",
    }
    assert len(touching) < len(exported) / 2


def test_declarations_are_read_from_the_headers() -> None:
    declared = declared_functions(["fcntl.h", "unistd.h", "no/such/header.h"])
    assert declared["pread"].header == "unistd.h"
    assert [name for _, name in declared["pread"].parameters] == ["fd", "buf", "nbytes", "offset"]
    assert declared["open"].parameters[-1] == ("...", "")
    assert "__read_chk" in declared  # fortified


def test_a_library_must_export_the_list_and_nothing_else(
    run_check: Check, lists: Path, tmp_path: Path
) -> None:
    """The C library itself exports everything that is listed, and more."""
    libc = str(check_functions.own_libc())
    status, errors = run_check(lists, "--library", libc)
    assert status == 1
    assert f"{libc}: exports malloc, which no list has" in errors
    assert "does not export read," not in errors
    text = tmp_path / "text.so"
    text.write_text("no library")
    assert f"{text}: not a 64-bit little-endian ELF file" in run_check(lists, "--library", str(text))[1]
