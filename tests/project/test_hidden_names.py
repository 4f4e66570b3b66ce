"""scripts/check_names.py finds names that would hide a header's where a folder is compiled as one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[2] / "scripts" / "check_names.py"
HEADER = """#pragma once
namespace headrace::cluster {

inline constexpr int kRows = 2048, kMost = 4;
int settle(int rows);

}  // namespace headrace::cluster
"""
SOURCE = """namespace headrace::cluster {{
namespace {{

{declared}

}}  // namespace
}}  // namespace headrace::cluster
"""


def check(tree: Path, declared: str, folder: str = "cluster") -> subprocess.CompletedProcess[str]:
    for name, text in (
        ("cluster/cluster.h", HEADER),
        (f"{folder}/capek.cc", SOURCE.format(declared=declared)),
    ):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text)
    return subprocess.run([sys.executable, CHECK, tree], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ("constexpr int kRows = 40;", "kRows"),
        ("constexpr int kOwn = 1, kMost = 40;", "kMost"),
        ("int settle(int rows) { return rows; }", "settle"),
    ],
)
def test_a_name_of_a_header_is_found(tmp_path: Path, declared: str, name: str) -> None:
    found = check(tmp_path, declared)
    assert found.returncode == 1
    assert f"cluster/capek.cc: '{name}' is also in cluster/cluster.h" in found.stderr


def test_a_constant_is_found_across_folders(tmp_path: Path) -> None:
    assert "'kRows'" in check(tmp_path, "constexpr int kRows = 40;", folder="other").stderr


def test_names_of_their_own_are_none(tmp_path: Path) -> None:
    found = check(tmp_path, "constexpr int kOwn = 40;\n\nint settle_rows(int rows) { return rows; }")
    assert (found.returncode, found.stderr) == (0, "")


def test_a_name_of_two_files_is_found(tmp_path: Path) -> None:
    check(tmp_path, "bool grow(int need) { return need > 1; }")
    (tmp_path / "cluster" / "capek.cc").rename(tmp_path / "cluster" / "pam.cc")
    assert (
        "cluster/pam.cc: 'grow' is also in cluster/capek.cc"
        in check(tmp_path, "bool grow(int need) { return need > 1; }").stderr
    )
    assert check(tmp_path, "bool grow(double need) { return need > 1; }").stderr == ""
