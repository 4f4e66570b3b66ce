"""What could not be read stays known, until it can be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.catalog.add import add
from headrace.catalog.compact import compact
from headrace.catalog.unread import row
from made_job_logs import write

HEAD = "JobIDRaw|User|Account|Start|End|State\n"
GOOD, BAD = "7|ann|a1|1767265200|1767268800|COMPLETED\n", "8|ann|a1|yesterday|1767268800|COMPLETED\n"


def unread(root: Path) -> dict[str, dict[str, Any]]:
    rows = catalog.open(root).table("unread").to_pylist()
    return {Path(row["path"]).name: row for row in rows}


def damaged(path: Path) -> Path:
    write(path, [(0, 100, 7)])
    path.write_bytes(path.read_bytes()[:200])
    return path


def test_what_could_not_be_read_is_known_until_it_can_be(tmp_path: Path) -> None:
    tree, root = tmp_path / "logs", tmp_path / "c"
    tree.mkdir()
    write(tree / "good.hr", [(0, 100, 7)])
    damaged(tree / "bad.hr")
    (tree / "jobs.txt").write_text(HEAD + GOOD + BAD)
    assert len(add(root, [tree]).bad) == 2
    rows = unread(root)
    assert set(rows) == {"bad.hr", "jobs.txt"}
    assert rows["bad.hr"]["path"] == str(tree / "bad.hr") and not rows["bad.hr"]["partly"]
    assert rows["bad.hr"]["bytes"] == 200 and rows["jobs.txt"]["partly"]
    assert not rows["bad.hr"]["why"].startswith("/") and "yesterday" in rows["jobs.txt"]["why"]
    number = catalog.open(root).state.number
    add(root, [tree])
    assert catalog.open(root).state.number == number, "nothing is new"
    assert unread(root) == rows
    write(tree / "bad.hr", [(0, 50, 8)])
    add(root, [tree])
    assert set(unread(root)) == {"jobs.txt"}
    (tree / "jobs.txt").unlink()
    add(root, [tree])
    assert unread(root) == {} and catalog.open(root).state.of("unread") == []


def test_another_tree_says_nothing_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "c"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        damaged(tmp_path / name / f"{name}.hr")
    add(root, [tmp_path / "a"])
    monkeypatch.chdir(tmp_path)
    add(root, [Path("b")])
    assert set(unread(root)) == {"a.hr", "b.hr"}
    add(root, [Path("a")])
    assert {row["path"] for row in unread(root).values()} == {
        str(tmp_path / "a" / "a.hr"),
        str(tmp_path / "b" / "b.hr"),
    }


def test_what_is_nothing_of_ours_is_refused_and_forgotten(tmp_path: Path) -> None:
    root = tmp_path / "c"
    (tmp_path / "notes").write_text("hello")
    report = add(root, [tmp_path / "notes", root, tmp_path / "none"])
    assert len(report.bad) == 3
    assert unread(root) == {}


def test_a_file_that_may_not_be_read(tmp_path: Path, obeying: list[str]) -> None:
    log = tmp_path / "a.hr"
    write(log, [(0, 100, 7)])
    log.chmod(0)
    command = [*obeying, sys.executable, "-m", "headrace", "catalog", "--at", tmp_path / "c", "add", tmp_path]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 3
    assert "Permission denied" in unread(tmp_path / "c")["a.hr"]["why"]


def test_the_command_lists_them(tmp_path: Path) -> None:
    log = damaged(tmp_path / "evil\n'; DROP\udcff.hr")
    words = [sys.executable, "-m", "headrace", "catalog", "--at", str(tmp_path / "c")]
    done = subprocess.run([*words, "add", os.fsencode(log)], capture_output=True, timeout=60)
    assert done.returncode == 3
    asked = subprocess.run([*words, "sql", "--json", "FROM unread"], capture_output=True, timeout=60)
    (row,) = json.loads(asked.stdout)
    assert row["path"].endswith("evil\n'; DROP\ufffd.hr") and row["why"] and row["bytes"] == 200
    assert compact(catalog.open(tmp_path / "c"), 2) == 0
    verified = subprocess.run([*words, "verify"], capture_output=True, timeout=60)
    assert verified.returncode == 0, verified.stderr


def test_a_reason_that_is_no_text_is_kept_as_some(tmp_path: Path) -> None:
    """One such file ended `add` and `watch` with a traceback."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "io.json").write_text(
        '{"sysstat": {"hosts": [{"nodename": "h", "statistics": [{"timestamp": "\\ud800", "disk": []}]}]}}'
    )
    (tree / "host.json").write_text(
        '{"sysstat": {"hosts": [{"nodename": "\\ud800", "statistics": [{"timestamp": "1767265200", "disk": []}]}]}}'
    )
    words = [sys.executable, "-m", "headrace", "catalog", "--at", str(tmp_path / "c"), "add", str(tree)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3 and "Traceback" not in done.stderr
    rows = unread(tmp_path / "c")
    assert "the time '\ufffd' is of a form not known" in rows["io.json"]["why"]
    assert "needs its 'nodename'" in rows["host.json"]["why"]


def test_a_reason_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    assert (
        row(file, f"{file}: see https://example.org//a/./b", partly=False)["why"]
        == "see https://example.org//a/./b"
    )
