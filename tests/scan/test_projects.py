"""Owners by the project map."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from headrace._errors import UsageError
from headrace.scans.projects import Rule, read_rules
from headrace.scans.scan import Scan

TOML = """
[[projects]]
project = "all"
user = "root"
path = "/"
[[projects]]
project = "climate"
label = "Climate"
path = "{top}/a/"
[[projects]]
project = "deep"
path = "{top}/a/b"
[[projects]]
project = "allocated"
account = "X1"
"""


def test_the_last_rule_that_fits_counts(tmp_path: Path, scan: Callable[..., Scan]) -> None:
    top = tmp_path / "t"
    for name in ("a/b/c", "ab"):
        (top / name).mkdir(parents=True)
    for name, size in (("x", 1), ("a/x", 2), ("a/b/x", 4), ("a/b/c/x", 8), ("ab/x", 16)):
        (top / name).write_bytes(b"x" * size)
    (tmp_path / "map.toml").write_text(TOML.format(top=top))
    found = scan(top, "--projects", tmp_path / "map.toml")
    assert found.sums("project", "climate") == (1, 2)
    assert found.sums("project", "deep") == (2, 12)
    rest = found.sums("project", "all" if found.owners("user") == ["root"] else "")
    assert rest == (2, 17)
    assert sum(found.sums("project", one)[1] for one in found.owners("project")) == found.number("bytes")


def test_a_map_may_name_links(tmp_path: Path, scan: Callable[..., Scan]) -> None:
    real = tmp_path / "real"
    (real / "a").mkdir(parents=True)
    (real / "a" / "x").write_bytes(b"12")
    (tmp_path / "alias").symlink_to(real)
    (tmp_path / "m.csv").write_text(f"project,path\np,{tmp_path}/alias/a\n")
    for top in ("alias", "real"):
        found = scan(tmp_path / top, "--projects", tmp_path / "m.csv")
        assert found.sums("project", "p") == (1, 2)


def test_rows_of_csv_and_toml_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text('project,user,group,path\np,"a,b",,/x\nq,,staff,\n')
    (tmp_path / "m.toml").write_text(
        '[[projects]]\nproject="p"\nuser="a,b"\npath="/x"\n[[projects]]\nproject="q"\ngroup="staff"\n'
    )
    rules = [Rule("p", "a,b", "", "/x"), Rule("q", "", "staff", "")]
    assert read_rules(str(tmp_path / "m.csv")) == read_rules(str(tmp_path / "m.toml")) == rules


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("m.csv", b"name,path\na,/x\n", "line 1: names no column 'project'"),
        ("m.csv", b"project,path\na,x\n", "line 2: the path 'x' is not absolute"),
        ("m.csv", b"project,colour\na,x\n", "line 2: there is no column 'colour'"),
        ("m.csv", b"project,path\n,/x\n", "has no project"),
        ("m.csv", b"\xff", "not UTF-8"),
        ("m.toml", b"[[projects]\n", "m.toml: "),
        ("m.toml", b"x = 1\n", "projects"),
        ("m.toml", b"[[projects]]\nproject = 7\n", "number 1: 'project' is no text"),
        ("m.toml", b'[[projects]]\nproject = "a"\npath = "/x\\u0000y"\n', "'path' is no text"),
    ],
)
def test_wrong_maps_are_refused(tmp_path: Path, name: str, text: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(text)
    with pytest.raises(UsageError) as raised:
        read_rules(str(tmp_path / name))
    assert why in str(raised.value)


def test_a_wrong_map_ends_the_scan(
    tmp_path: Path, headrace: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = headrace(tmp_path, "-o", tmp_path / "s.hr", "--projects", tmp_path / "none.csv", status=2)
    assert "none.csv: cannot be read" in done.stderr
    assert list(tmp_path.iterdir()) == []
