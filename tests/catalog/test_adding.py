"""What `add` takes of a tree, what it leaves alone, and what it says of the rest."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pyarrow
import pytest
from headrace import catalog, samples, scans
from headrace._errors import OutputError
from headrace.catalog import checks, locks
from headrace.catalog.add import Report, add
from made_job_logs import write
from pyarrow import parquet

SACCT = "JobIDRaw|User|Account|Start|End|State\n7|ann|a1|1767265200|1767268800|COMPLETED\n"
OLD = (0, 0)


def reasons(report: Report) -> dict[str, str]:
    return {os.fsencode(path).decode("utf-8", "replace").rpartition("/")[2]: why for path, why in report.bad}


def rows(root: Path, table: str) -> int:
    return catalog.open(root).table(table).num_rows


def sample_store(path: Path) -> None:
    row = {
        "host": "h", "boot": "", "kind": "block", "device": "sda", "start": 0, "end": 1_000_000, "reads": 1,
        "read_bytes": 512, "writes": 0, "write_bytes": 0,
    }  # fmt: skip
    table = pyarrow.Table.from_pylist([row], schema=catalog.arrow_schema("samples"))
    samples.write(path, {"samples": table}, 1)


def test_a_tree_with_everything_in_it(tmp_path: Path) -> None:
    tree, root = tmp_path / "tree", tmp_path / "c"
    tree.mkdir()
    write(tree / "a.hr", [(0, 100, 7)])
    sample_store(tree / "samples.hr")
    (tree / "sacct.txt").write_text(SACCT)
    (tree / "jobs.csv").write_text('"job","start","command"\nc1,1767265200,"a\n\u2028b"\n', encoding="utf-8")
    (tree / "site.toml").write_text('[site]\nname = "here"\n[[projects]]\nproject = "p"\naccount = "a1"\n')
    (tree / "Cargo.toml").write_text('[package]\nname = "x"\n')  # all that follow are nobody's here
    (tree / "points.csv").write_text("x,y\n1,2\n")
    parquet.write_table(pyarrow.table({"figure": ["a"], "value": [1.0]}), tree / "truth.parquet")
    calendar = {"start": 0, "end": 1, "kind": "outage", "text": "x"}
    schema = catalog.arrow_schema("calendar")
    parquet.write_table(pyarrow.Table.from_pylist([calendar], schema=schema), tree / "calendar.parquet")
    report = add(root, [tree])
    assert report.bad == []
    assert (report.added, report.skipped) == (6, 3)
    assert [rows(root, name) for name in ("logs", "samples", "scheduler_jobs", "projects", "calendar")] == [
        1, 1, 2, 1, 1
    ]  # fmt: skip
    commands = catalog.open(root).table("scheduler_jobs")["command"].to_pylist()
    assert "a\n\u2028b" in commands
    again = add(root, [tree])
    assert (again.added, again.known, again.skipped) == (0, 6, 3)


@pytest.mark.parametrize("name", ["Cargo.toml", "points.csv", "truth.parquet"])
def test_what_is_not_ours_is_bad_when_it_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    texts = {"Cargo.toml": '[package]\nname = "x"\n', "points.csv": "x,y\n1,2\n"}
    if name in texts:
        path.write_text(texts[name])
    else:
        parquet.write_table(pyarrow.table({"figure": ["a"]}), path)
    report = add(tmp_path / "c", [path])
    assert list(reasons(report)) == [name]
    assert str(path) in report.bad[0][1]


def test_half_a_parquet_file_is_bad_and_adds_nothing(tmp_path: Path) -> None:
    schema = catalog.arrow_schema("calendar")
    row = {"start": 0, "end": 1, "kind": "outage", "text": "x"}
    table = pyarrow.Table.from_pylist([row], schema=schema)
    parquet.write_table(table, tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "whole.parquet").unlink()
    tree = tmp_path / "tree"
    tree.mkdir()
    for length in range(4, len(whole), 101):
        (tree / f"calendar-{length}.parquet").write_bytes(whole[:length])
    report = add(tmp_path / "c", [tree])
    assert len(report.bad) == len(list(tree.iterdir()))
    assert rows(tmp_path / "c", "calendar") == 0


def test_samples_that_are_being_written_are_left_alone(tmp_path: Path) -> None:
    """They counted again with every look, and once more when they were finished."""
    store = tmp_path / "store" / "host"
    store.mkdir(parents=True)
    for name in ("20260101T000000Z-1.open.hr", "20260101T000000Z-1.tail.hr"):
        sample_store(store / name)
    with (store / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        report = add(tmp_path / "c", [tmp_path / "store"])
        assert (report.added, report.skipped, report.bad) == (0, 3, [])
        named = add(tmp_path / "c", [store / "20260101T000000Z-1.open.hr"])
    assert "when it is finished" in named.bad[0][1]
    (store / "20260101T000000Z-1.tail.hr").unlink()
    (store / "20260101T000000Z-1.open.hr").rename(store / "20260101T000000Z-1.hr")
    assert add(tmp_path / "c", [tmp_path / "store"]).added == 1
    assert rows(tmp_path / "c", "samples") == 1


def test_scans_are_no_job_logs_and_their_states_are_left_alone(tmp_path: Path) -> None:
    from headrace.facility.contents import scan_tables
    from headrace.facility.preset import load_preset

    tree = tmp_path / "tree"
    tree.mkdir()
    scans.write(tree / "scan.hr", scan_tables(load_preset("intrepid"), 0), 1)
    (tree / "other.part").write_bytes((tree / "scan.hr").read_bytes() + b" ")
    report = add(tmp_path / "c", [tree])
    assert (report.added, report.skipped, report.bad) == (1, 1, [])
    assert (rows(tmp_path / "c", "scans"), rows(tmp_path / "c", "logs")) == (1, 0)


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    tree = Path(os.fsdecode(os.fsencode(tmp_path) + b"/tr\xffee"))
    tree.mkdir()
    write(tree / os.fsdecode(b"a\xff.hr"), [(0, 100, 7)])
    (tree / os.fsdecode(b"b\xff.txt")).write_text(SACCT)
    (tree / os.fsdecode(b"c\xff.csv")).write_text("job,start\na,soon\n")
    report = add(tmp_path / "c", [tree])
    assert report.added == 2
    assert len(report.bad) == 1
    assert all("\ufffd" in path for path in catalog.open(tmp_path / "c").table("sources")["path"].to_pylist())
    with pytest.raises(OutputError, match="must be UTF-8"):
        catalog.create(tree / "c")


def test_names_and_facts_are_no_sql(tmp_path: Path) -> None:
    evil = "x'; DROP VIEW logs; --"
    tree = tmp_path / f'tree {evil}"'
    tree.mkdir()
    write(tree / f"{evil}.hr", [(0, 100, 7)], scheduler_job=evil, user_id=evil, host=evil)
    root = tmp_path / f'c {evil}"'
    assert add(root, [tree]).bad == []
    found = (
        catalog.open(root).connect().execute("SELECT source, scheduler_job, host FROM log_jobs").fetchall()
    )
    assert found == [(str(tree / f"{evil}.hr"), evil, evil)]


def test_a_catalog_is_not_added_to_itself(tmp_path: Path) -> None:
    root = tmp_path / "c"
    add(root, [write(tmp_path / "a.hr", [(0, 100, 7)])])
    for path in (root, root / "logs", root / ".." / "c"):
        report = add(root, [path])
        assert report.added == 0
        assert "is in the catalog itself" in report.bad[0][1]
    assert add(root, [tmp_path]).added == 0
    assert rows(root, "logs") == 1


def test_a_tree_that_cannot_be_looked_into_is_told(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    report = Report()
    from headrace.catalog import recognize

    told: list[str] = []
    (tmp_path / "tree" / "gone").mkdir()
    walk = os.walk

    def failing(path: Path, onerror: object) -> object:
        assert callable(onerror)
        onerror(PermissionError(13, "Permission denied", str(path / "gone")))
        return walk(path)

    os.walk = failing  # type: ignore[assignment]
    try:
        recognize.files_below([tmp_path / "tree"], tmp_path / "c", lambda _, why: told.append(why))
    finally:
        os.walk = walk
    assert told == [f"{tmp_path / 'tree' / 'gone'}: cannot be read: Permission denied"]
    assert report.bad == []


def test_a_file_that_a_reader_has_no_sentence_for_keeps_no_other_out(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[[ceilings]]\nname = 'x'\nnodes_least = 99999999999999999999999\n")
    (tmp_path / "b.txt").write_text(SACCT)
    report = add(tmp_path / "c", [tmp_path / "a.toml", tmp_path / "b.txt"])
    assert list(reasons(report)) == ["a.toml"]
    assert report.added == 1


def test_repair_leaves_what_somebody_writes(tmp_path: Path) -> None:
    """Also what is old: an adder may have been stopped for a day."""
    root = tmp_path / "c"
    add(root, [write(tmp_path / "a.hr", [(0, 100, 7)])])
    left = next((root / "logs").glob("*")) / "left.parquet"
    left.write_bytes(b"half")
    os.utime(left, OLD)
    with locks.writing(root):
        assert checks.leftovers(catalog.open(root), repair=True) == (0, 1)
    assert checks.leftovers(catalog.open(root), repair=False) == (0, 1)
    assert checks.leftovers(catalog.open(root), repair=True) == (1, 0)
    assert not left.exists()


def test_who_writes_waits_for_who_repairs(tmp_path: Path) -> None:
    root = catalog.create(tmp_path / "c").path
    with locks.writing(root), locks.writing(root), locks.alone(root) as is_alone:
        assert not is_alone
    with locks.alone(root) as is_alone:
        assert is_alone
        with locks.alone(root) as second:
            assert not second
