"""Commits of a catalog: nothing lost, nothing twice, whoever is killed or adds at the same time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from headrace import catalog
from headrace._errors import CatalogError, OutputError, UsageError
from headrace.catalog import checks, commits
from headrace.catalog.compact import compact
from pyarrow import parquet

ADDER = """
import sys, pyarrow
from headrace import catalog
root, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print("begins", flush=True)
for n in range(first, last):
    rows = pyarrow.table({"key": [f"k{n}"], "value": [str(n)]})
    catalog.write_tables(root, {"site": rows}, "a test", content=f"content {n}")
"""


def site(number: int) -> dict[str, pyarrow.Table]:
    return {"site": pyarrow.table({"key": [f"k{number}"], "value": [str(number)]})}


def as_of_before(file: Path) -> dict[str, Any]:
    """A commit as versions made it that had no checksums."""
    commit = json.loads(file.read_text())
    return {key: value for key, value in commit.items() if key not in ("checksum", "before")}


def keys(root: Path) -> list[str]:
    return sorted(catalog.open(root).table("site")["key"].to_pylist())


def test_rows_come_back(tmp_path: Path) -> None:
    root = tmp_path / "c"
    assert catalog.write_tables(root, site(1), "here") == 1
    assert catalog.write_tables(root, site(2), "here") == 1
    assert keys(root) == ["k1", "k2"]
    places = catalog.open(root).table("site")["place"].to_pylist()
    assert places == sorted(places)


def test_one_content_is_added_once(tmp_path: Path) -> None:
    root = tmp_path / "c"
    assert catalog.write_tables(root, site(1), "here", content="x") == 1
    assert catalog.write_tables(root, site(1), "there", content="x") == 0
    assert keys(root) == ["k1"]
    assert catalog.open(root).table("sources")["path"].to_pylist() == ["here"]
    assert len(list((root / "site").iterdir())) == 1


def test_the_second_of_two_concurrent_adders_leaves_out_what_the_first_added(tmp_path: Path) -> None:
    from headrace.catalog.batch import Batch, add_batch
    from headrace.catalog.source import Source

    root = tmp_path / "c"
    before = catalog.create(root)
    catalog.write_tables(root, site(1), "first", content="1")
    batch = Batch()
    batch.add(Source("1", "second", "tables", 1), site(1))
    batch.add(Source("2", "second", "tables", 1), site(2))
    added = add_batch(root, before.state, batch)
    assert added.sources == {"2"}
    assert added.rows == 1
    assert keys(root) == ["k1", "k2"]


def test_processes_that_add_at_the_same_time(tmp_path: Path) -> None:
    root = tmp_path / "c"
    ranges = [(0, 15), (10, 25), (0, 25)]
    adders = [
        subprocess.Popen([sys.executable, "-c", ADDER, root, str(a), str(b)], stdout=subprocess.DEVNULL)
        for a, b in ranges
    ]
    assert [adder.wait(120) for adder in adders] == [0, 0, 0]
    assert keys(root) == sorted(f"k{n}" for n in range(25))
    numbers = sorted(int(path.name[:10]) for path in (root / commits.FOLDER).iterdir())
    assert numbers == list(range(1, 26))


def test_a_killed_adder_changes_nothing(
    tmp_path: Path, next_line: Callable[[subprocess.Popen[str]], str]
) -> None:
    root = tmp_path / "c"
    for attempt in range(6):
        adder = subprocess.Popen(
            [sys.executable, "-c", ADDER, root, "0", "1000000"], stdout=subprocess.PIPE, text=True
        )
        assert next_line(adder) == "begins\n"
        threading.Event().wait(0.01 * 3**attempt % 0.4)
        adder.kill()
        adder.wait()
        assert adder.stdout is not None
        adder.stdout.close()
        # Whatever it left: all that is committed can be read, and the next one goes on.
        catalog.write_tables(root, {}, "after", content="after")
        found = keys(root)
        assert len(found) == len(set(found))
    assert catalog.write_tables(root, site(-1), "last") == 1
    assert "k-1" in keys(root)


def test_a_commit_says_all_parts_from_time_to_time(tmp_path: Path) -> None:
    root = tmp_path / "c"
    for number in range(70):
        catalog.write_tables(root, site(number), "here")
    first = root / commits.FOLDER / "0000000001.json"
    first.unlink()  # not needed any more: commit 64 says all
    assert len(keys(root)) == 70
    assert "parts" in json.loads((root / commits.FOLDER / "0000000064.json").read_text())


def test_half_a_part_that_no_commit_names_is_not_seen(tmp_path: Path) -> None:
    root = tmp_path / "c"
    catalog.write_tables(root, site(1), "here")
    part = next((root / "site").iterdir())
    (root / "site" / "half.parquet").write_bytes(part.read_bytes()[:100])
    assert keys(root) == ["k1"]
    rows = catalog.open(root).connect().execute("SELECT count(*) FROM site").fetchone()
    assert rows == (1,)


def test_what_does_not_fit_is_refused_and_nothing_is_added(tmp_path: Path) -> None:
    root = tmp_path / "c"
    for tables, says in [
        ({"nothing": site(1)["site"]}, "no table 'nothing'"),
        ({"site": pyarrow.table({"colour": ["red"]})}, "no column 'colour'"),
        ({"logs": pyarrow.table({"processes": ["many"]})}, "column processes"),
    ]:
        with pytest.raises(UsageError, match=says):
            catalog.write_tables(root, tables, "here")
    assert catalog.open(root).state.parts == {}


def test_no_catalog_is_made_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("…")
    with pytest.raises(OutputError, match="not empty"):
        catalog.create(tmp_path)
    with pytest.raises(CatalogError, match="there is no catalog"):
        catalog.open(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', '{"format": 1, "number": 1, "added": [{}], "removed": []}']
)
def test_a_damaged_commit_is_named(tmp_path: Path, text: str) -> None:
    catalog.write_tables(tmp_path / "c", site(1), "here")
    path = tmp_path / "c" / commits.FOLDER / "0000000001.json"
    path.write_text(text)
    with pytest.raises(CatalogError, match="0000000001"):
        catalog.open(tmp_path / "c")


def test_a_missing_commit_is_named(tmp_path: Path) -> None:
    for number in range(3):
        catalog.write_tables(tmp_path / "c", site(number), "here")
    (tmp_path / "c" / commits.FOLDER / "0000000002.json").unlink()
    with pytest.raises(CatalogError, match="this commit is missing"):
        catalog.open(tmp_path / "c")


@pytest.mark.parametrize("path", ["../outside.parquet", "/etc/passwd", "site/../../x", "logs/x.parquet", ""])
def test_commits_name_no_files_elsewhere(tmp_path: Path, path: str) -> None:
    catalog.write_tables(tmp_path / "c", site(1), "here")
    file = tmp_path / "c" / commits.FOLDER / "0000000001.json"
    commit = as_of_before(file)
    commit["added"][0]["path"] = path
    file.write_text(json.dumps(commit))
    with pytest.raises(CatalogError, match="not a commit"):
        catalog.open(tmp_path / "c")


def test_newer_formats_are_refused(tmp_path: Path) -> None:
    catalog.write_tables(tmp_path / "c", site(1), "here")
    (tmp_path / "c" / "catalog.json").write_text('{"format": 2}')
    with pytest.raises(CatalogError, match="format 2"):
        catalog.open(tmp_path / "c")


def test_parts_of_before_a_column_was_added(tmp_path: Path) -> None:
    """Their rows have nulls in it."""
    root = tmp_path / "c"
    catalog.write_tables(root, site(1), "here")
    file = root / commits.FOLDER / "0000000001.json"
    commit = as_of_before(file)
    part = next(part for part in commit["added"] if part["table"] == "site")
    part["columns"] = ["key", "value"]
    old = parquet.read_table(root / part["path"], columns=["key", "value"])
    (root / part["path"]).unlink()
    parquet.write_table(old, root / part["path"])
    file.write_text(json.dumps(commit))
    catalog.write_tables(root, site(2), "here")
    rows = catalog.open(root).connect().execute("SELECT key, place IS NULL FROM site ORDER BY key").fetchall()
    assert rows == [("k1", True), ("k2", False)]
    assert catalog.open(root).table("site").num_rows == 2


def test_what_is_put_together_keeps_its_order(tmp_path: Path) -> None:
    """Rows of before there was a place had the greatest of all after `compact`."""
    root = tmp_path / "c"
    connection_says = "SELECT max_by(value, place) FROM site"
    catalog.write_tables(root, {"site": pyarrow.table({"key": ["k"], "value": ["old"]})}, "here")
    file = root / commits.FOLDER / "0000000001.json"
    commit = as_of_before(file)
    part = next(part for part in commit["added"] if part["table"] == "site")
    part["columns"] = ["key", "value"]
    old = parquet.read_table(root / part["path"], columns=["key", "value"])
    (root / part["path"]).unlink()
    parquet.write_table(old, root / part["path"])
    part["bytes"] = (root / part["path"]).stat().st_size
    file.write_text(json.dumps(commit))
    catalog.write_tables(root, {"site": pyarrow.table({"key": ["k"], "value": ["new"]})}, "here")
    assert catalog.open(root).table("site")["place"].null_count == 1
    assert compact(catalog.open(root), 2) == 4
    assert catalog.open(root).connect().execute(connection_says).fetchall() == [("new",)]


def verified(root: Path, *more: str) -> tuple[int, str]:
    words = [sys.executable, "-m", "headrace", "catalog", "--at", str(root), "verify", *more]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def changed(file: Path, **said: Any) -> None:
    file.write_text(json.dumps(as_of_before(file) | said))


def test_a_commit_of_which_anything_was_changed_is_none(tmp_path: Path) -> None:
    root = tmp_path / "c"
    for number in range(3):
        catalog.write_tables(root, site(number), "here")
    file = root / commits.FOLDER / "0000000002.json"
    text = file.read_text()
    assert verified(root) == (0, "")
    file.write_text(json.dumps(json.loads(text), sort_keys=True))
    assert verified(root) == (0, ""), "blanks and order say nothing"
    file.write_text(text.replace('"rows": 1', '"rows": 2', 1))
    status, said = verified(root)
    assert status == 3 and "0000000002.json: not a commit" in said
    other = tmp_path / "other"
    for number in range(3):
        catalog.write_tables(other, site(number), "here")
    file.write_text((other / commits.FOLDER / "0000000002.json").read_text())
    status, said = verified(root)
    assert status == 3 and "0000000002.json: is not of the commit before it" in said


def test_verify_finds_what_commits_without_a_checksum_cannot_say(tmp_path: Path) -> None:
    """Two parts that were put together counted twice, and a table of another name had no rows."""
    root = tmp_path / "c"
    for number in range(2):
        catalog.write_tables(root, site(number), "here")
    compact(catalog.open(root), 2)
    files = sorted((root / commits.FOLDER).glob("0*.json"))
    for file in files:
        changed(file)
    assert verified(root) == (0, "")
    removed = json.loads(files[-1].read_text())["removed"]
    changed(files[-1], removed=[path.replace("/", "/0", 1) for path in removed])
    status, said = verified(root)
    assert status == 3 and "takes out" in said and files[-1].name in said
    changed(files[-1], removed=removed)
    added = json.loads(files[0].read_text())["added"]
    changed(files[0], added=[row | {"table": "sitez"} for row in added])
    status, said = verified(root)
    assert status == 3 and "is of another table" in said


def test_lost_commits_are_told_and_their_parts_kept(tmp_path: Path) -> None:
    root = tmp_path / "c"
    for number in range(3):
        catalog.write_tables(root, site(number), "here")
    for path in root.glob("*/*.parquet"):
        os.utime(path, (0, 0))
    parts = sorted(root.glob("*/*.parquet"))
    for number in (2, 3):
        (root / commits.FOLDER / f"000000000{number}.json").unlink()
    status, said = verified(root, "--repair")
    assert status == 3 and "0000000002.json to 0000000003: missing" in said
    assert sorted(root.glob("*/*.parquet")) == parts


def test_who_may_not_look_at_the_commits_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    catalog.write_tables(tmp_path / "c", site(1), "here")
    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(CatalogError, match="commits: cannot be read: Permission denied"):
        catalog.open(tmp_path / "c")


def test_a_full_disk_leaves_no_half_of_a_part(small_tmpfs: Callable[[str], Path]) -> None:
    root = small_tmpfs("1M") / "c"
    catalog.write_tables(root, site(1), "here")
    noise = pyarrow.table({"key": [os.urandom(500).hex() for _ in range(4000)], "value": ["x"] * 4000})
    before = sorted(root.glob("*/*"))
    with pytest.raises(OutputError, match="No space"):
        catalog.write_tables(root, {"site": noise}, "here")
    assert sorted(root.glob("*/*")) == before
    assert keys(root) == ["k1"]


def test_a_link_whose_answer_was_lost_is_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, link = tmp_path / "c", os.link
    catalog.create(root)

    def made_but_told_otherwise(source: Path, target: Path) -> None:
        link(source, target)
        raise FileExistsError

    monkeypatch.setattr(os, "link", made_but_told_otherwise)
    assert catalog.write_tables(root, site(1), "here", content="1") == 1
    assert keys(root) == ["k1"]


@pytest.mark.parametrize(
    "name", ["²0.json", "1.json", "٠٠٠٠٠٠٠٠٠٩.json", "0000000009.json.new", "00000000009.json"]
)
def test_files_that_are_no_commits_are_none(tmp_path: Path, name: str) -> None:
    root = tmp_path / "c"
    catalog.write_tables(root, site(1), "here")
    (root / "commits" / name).write_text("{}")
    assert keys(root) == ["k1"]


def test_repair_leaves_parts_that_were_taken_out_lately(tmp_path: Path) -> None:
    """Old ones as well: a reader that began before may still read them."""
    root, long_ago = tmp_path / "c", time.time() - 3 * 24 * 3600
    for number in range(2):
        catalog.write_tables(root, site(number), "here")
    parts = list((root / "site").iterdir())
    for part in parts:
        os.utime(part, (long_ago, long_ago))
    reader = catalog.open(root).connect()
    assert compact(catalog.open(root), 2) > 0
    removed, left = checks.leftovers(catalog.open(root), repair=True)
    assert (removed, left > 0) == (0, True)
    assert reader.execute("SELECT count(*) FROM site").fetchone() == (2,)
    for path in [*(root / commits.FOLDER).iterdir(), *(root / "sources").iterdir()]:
        os.utime(path, (long_ago, long_ago))
    assert checks.leftovers(catalog.open(root), repair=True) == (left, 0)
    assert not any(part.exists() for part in parts)
