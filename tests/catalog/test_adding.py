"""What `add` takes of a tree, what it leaves alone, and what it says of the rest."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from headrace import catalog, samples, scans
from headrace._errors import OutputError
from headrace.catalog import add as adding
from headrace.catalog import checks, commits, job_logs, locks, parquet_rows, watch
from headrace.catalog.add import Report, add
from headrace.catalog.compact import compact
from headrace.catalog.schema import TABLES
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


def test_a_tree_that_cannot_be_looked_into_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tree" / "gone").mkdir(parents=True)
    write(tmp_path / "tree" / "a.hr", [(0, 100, 7)])
    walk = os.walk

    def failing(path: Path, onerror: Callable[[OSError], None]) -> Iterator[tuple[str, list[str], list[str]]]:
        onerror(PermissionError(13, "Permission denied", str(path / "gone")))
        return walk(path)

    monkeypatch.setattr(os, "walk", failing)
    report = add(tmp_path / "c", [tmp_path / "tree"])
    gone = tmp_path / "tree" / "gone"
    assert report.bad == [(gone, f"{gone}: cannot be read: Permission denied")]
    assert report.added == 1


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


@pytest.mark.parametrize("command", ['["\\ud800"]', '["a\\udcffb"]'])
def test_a_command_that_is_no_text_keeps_no_log_out(tmp_path: Path, command: str) -> None:
    """`headrace run -- echo $'\\xff'` ended each `add` with a traceback, and nothing was added."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(3):
        write(tree / f"{number}.hr", [(0, 100, 7)], number + 1)
    write(tree / "x.hr", [(0, 100, 7)], 9, command=command)
    assert add(tmp_path / "c", [tree]).bad == []
    assert "\ufffd" in "".join(catalog.open(tmp_path / "c").table("logs")["command"].to_pylist())
    assert rows(tmp_path / "c", "logs") == 4


def test_a_log_that_nothing_can_be_made_of_keeps_no_other_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summarized = job_logs.summarized

    def failing(reading: job_logs.Reading) -> job_logs.Summaries:
        if any(path.name == "1.hr" for path in reading.paths):
            raise ValueError("no sentence for it")
        return summarized(reading)

    monkeypatch.setattr(job_logs, "summarized", failing)
    paths = [write(tmp_path / f"{number}.hr", [(0, 100, 7)], number + 1) for number in range(4)]
    report = add(tmp_path / "c", paths)
    assert list(reasons(report)) == ["1.hr"] and report.added == 3
    assert rows(tmp_path / "c", "unread") == 1


def test_another_catalog_in_a_tree_is_left_out(tmp_path: Path) -> None:
    """Its parts were added as well, also those that do not count any more."""
    tree, root = tmp_path / "tree", tmp_path / "c"
    tree.mkdir()
    for number in range(2):
        write(tree / f"{number}.hr", [(0, 100, 7)], number + 1)
        add(tree / "old", [tree / f"{number}.hr"])
    compact(catalog.open(tree / "old"), 2)
    report = add(root, [tree])
    assert (report.added, report.bad) == (2, []) and rows(root, "logs") == 2
    assert [why.split(":")[0] for why in report.left_out] == [str(tree / "old")]
    named = add(root, [tree / "old"])
    assert named.added == 0 and "is a catalog: add what it was made of" in named.bad[0][1]


def exported(root: Path, path: Path, table: str, rows: slice = slice(None)) -> Path:
    found = catalog.open(root).table(table)
    parquet.write_table(found.slice(rows.start or 0, (rows.stop or found.num_rows) - (rows.start or 0)), path)
    return path


def test_rows_of_logs_that_come_again_by_parquet_count_once(tmp_path: Path) -> None:
    root, new = tmp_path / "c", tmp_path / "new"
    logs = [write(tmp_path / f"{n}.hr", [(0, 100, 7)] * 2, n + 1, files=3) for n in range(3)]
    add(root, logs)
    names = ("logs", "instances", "files", "access_sizes")
    counts = [rows(root, name) for name in names]
    files = [exported(root, tmp_path / f"{name}.parquet", name) for name in names]
    parts = [
        exported(root, tmp_path / f"files-{n}.parquet", "files", slice(5 * n, 5 * n + 5)) for n in range(4)
    ]
    assert add(root, [*files, *parts]).bad == []
    assert [rows(root, name) for name in names] == counts
    # What another catalog exported, in pieces that no log fits, and then the logs themselves.
    assert add(new, [files[0], *parts[:2]]).added == 3
    assert rows(new, "files") == 10
    add(new, [*parts, *files, *logs])
    assert [rows(new, name) for name in names] == counts
    assert checks.problems(catalog.open(new)) == []


def test_two_that_add_the_same_rows_at_a_time_add_them_once(tmp_path: Path) -> None:
    root, old = tmp_path / "c", tmp_path / "old"
    logs = [write(tmp_path / f"{n}.hr", [(0, 100, 7)], n + 1) for n in range(2)]
    add(old, logs)
    from headrace.catalog.batch import Batch, add_batch
    from headrace.catalog.source import Source

    before = catalog.create(root).state
    batch = Batch()
    batch.add(Source("p", "logs.parquet", "parquet", 1), {"logs": catalog.open(old).table("logs")})
    add(root, logs[:1])
    publish, calls = commits.publish, []

    def late(*about: Any) -> Any:
        """While these rows are written somebody else adds the other log."""
        if not calls:
            calls.append(1)
            add(root, logs[1:])
        return publish(*about)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commits, "publish", late)
        assert add_batch(root, before, batch).rows == 0
    assert rows(root, "logs") == 2 and checks.problems(catalog.open(root)) == []


def test_tables_of_others_are_not_taken_from_a_tree(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for name, columns in {"a": ["key", "value"], "b": ["project", "user"], "c": ["text", "name"]}.items():
        parquet.write_table(pyarrow.table({key: ["x"] for key in columns}), tree / f"{name}.parquet")
    (tree / "d.csv").write_text("host,job,start,end,read_bytes\nh,7,1767265200,1767268800,5\n")
    parquet.write_table(pyarrow.table({"key": ["k"], "value": ["v"]}), tree / "our-site-2026.parquet")
    (tree / "e.csv").write_text("job,start,user\n7,1767265200,ann\n")
    report = add(tmp_path / "c", [tree])
    assert (report.added, report.skipped, report.bad) == (2, 4, [])
    assert [rows(tmp_path / "c", name) for name in ("site", "scheduler_jobs", "projects")] == [1, 1, 0]
    assert add(tmp_path / "c", [tree / "a.parquet"]).added == 1, "who names it knows what it is"


@pytest.mark.parametrize(
    ("table", "changed", "says"),
    [
        ("scheduler_jobs", {"end": -1}, "ends before it starts"),
        ("scheduler_jobs", {"nodes": -4}, "has a nodes below 0"),
        ("logs", {"bytes_read": -1}, "has a bytes_read below 0"),
        ("calendar", {"end": -1}, "ends before it starts"),
    ],
)
def test_rows_that_cannot_be_are_refused_whatever_they_come_by(
    tmp_path: Path, table: str, changed: dict[str, Any], says: str
) -> None:
    schema = catalog.arrow_schema(table)
    good: dict[str, Any] = {"log": 1, "job": "7", "start": 0, "end": 1}
    fine = {name: value for name, value in good.items() if name in schema.names}
    path = tmp_path / f"{table}.parquet"
    parquet.write_table(pyarrow.Table.from_pylist([fine, fine | changed], schema=schema), path)
    report = add(tmp_path / "c", [path])
    assert report.added == 0
    assert report.bad[0][1].startswith(f"{path}: table {table}: row 2") and says in report.bad[0][1]


def test_csv_of_samples_is_checked_as_others_are(tmp_path: Path) -> None:
    names = [column.name for column in TABLES["samples"].columns]
    told = dict.fromkeys(names, "1") | {"start": "2026-03-01 10:00:00Z", "end": "2026-03-01 11:00:00Z"}
    for changed, end, says in (
        ({}, "\n", ""),
        ({"read_bytes": "-100"}, "\n", "row 1 has a read_bytes below 0"),
        ({"end": "2026-03-01 09:00:00Z"}, "\n", "ends before it starts"),
        ({"metadata": "12"}, "", "its last line does not end"),
    ):
        path = tmp_path / "samples.csv"
        path.write_text(",".join(names) + "\n" + ",".join((told | changed).values()) + end)
        report = add(tmp_path / "c", [path])
        assert [says in why for _, why in report.bad] == ([True] if says else [])
    assert rows(tmp_path / "c", "samples") == 1


def test_errors_name_the_file_and_the_place_in_it(tmp_path: Path) -> None:
    for name, text, says in (
        ("a", "[[projects]]\naccount = 'x'\n", "table projects: row 1 has no project"),
        ("b", "[[devices]]\nhost = 'oss['\ndevice = 'x'\n", "'oss[' is no pattern"),
        (
            "c",
            "[[calendar]]\nstart = 2026-03-01T08:00:00Z\nend = 2026-03-02T08:00:00Z\n[[calendar]]\nstart = 'soon'\n",
            "[[calendar]] number 2: start is no time: 'soon'",
        ),
        ("d", "[site]\nprocesses_per_node = nan\n", "[site] processes_per_node is nan"),
    ):
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        assert add(tmp_path / "c", [path]).bad[0][1].startswith(f"{path}: {says}")
    parquet.write_table(
        pyarrow.table({"user": ["7"], "start": ["soon"]}), tmp_path / "scheduler_jobs.parquet"
    )
    ((_, why),) = add(tmp_path / "c", [tmp_path / "scheduler_jobs.parquet"]).bad
    assert why.startswith(f"{tmp_path / 'scheduler_jobs.parquet'}: column start of table scheduler_jobs")


def test_paths_of_no_use_keep_no_other_out(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "b.txt").write_text(SACCT)
    long = tmp_path / ("x" * 300)
    report = add(tmp_path / "c", [tmp_path / "loop", long, tmp_path / "loop" / "a", tmp_path / "b.txt"])
    assert report.added == 1
    assert [why.rpartition(": ")[2] for _, why in report.bad] == [
        "Too many levels of symbolic links", "File name too long", "Too many levels of symbolic links"
    ]  # fmt: skip


def test_a_file_that_is_changed_while_it_is_read_is_of_no_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of the new file were kept under the old one's name, and those of the old one came no more."""
    sample_store(tmp_path / "a.hr")
    read = samples.read

    def slow(path: Path, problems: list[str] | None = None) -> dict[str, pyarrow.Table]:
        found = read(path, problems)
        (tmp_path / "b.hr").write_bytes(path.read_bytes())
        (tmp_path / "b.hr").replace(path)
        return found

    monkeypatch.setattr(samples, "read", slow)
    report = add(tmp_path / "c", [tmp_path / "a.hr"])
    assert report.added == 0 and "was changed while it was read" in report.bad[0][1]
    monkeypatch.undo()
    assert add(tmp_path / "c", [tmp_path / "a.hr"]).added == 1


def test_much_parquet_is_added_some_rows_at_a_time(tmp_path: Path) -> None:
    """A small file may have very many rows."""
    schema = catalog.arrow_schema("scheduler_jobs")
    one = pyarrow.Table.from_pylist([{"job": "7", "start": 0, "nodes": 1}] * 1000, schema=schema)
    path = tmp_path / "scheduler_jobs.parquet"
    with parquet.ParquetWriter(path, schema) as writer:
        writer.write_table(pyarrow.concat_tables([one] * 1200))
    before = pyarrow.total_allocated_bytes()
    report = add(tmp_path / "c", [path])
    assert (report.added, report.rows, report.bad) == (1, 1_200_000, [])
    assert pyarrow.default_memory_pool().max_memory() - before < 400 << 20
    assert add(tmp_path / "c", [path]).known == 1
    assert checks.problems(catalog.open(tmp_path / "c")) == []


def test_half_of_a_large_file_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "_ROWS", 500)
    monkeypatch.setattr(parquet_rows, "_ROWS", 100)
    schema = catalog.arrow_schema("scheduler_jobs")
    path = tmp_path / "scheduler_jobs.parquet"
    good = [{"job": str(number), "start": 0, "nodes": 1} for number in range(2000)]
    for bad_rows, says in (([], ""), ([{"job": "x", "start": 0, "nodes": -1}], "nodes below 0")):
        parquet.write_table(pyarrow.Table.from_pylist(good + bad_rows, schema=schema), path)
        report = add(tmp_path / "c", [path])
        assert [says in why for _, why in report.bad] == ([True] if says else [])
    assert rows(tmp_path / "c", "scheduler_jobs") == 2000
    assert checks.leftovers(catalog.open(tmp_path / "c"), repair=False) == (0, 0)


def test_a_full_disk_ends_the_adding_and_leaves_nothing(
    small_tmpfs: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in the middle of a file that is committed as it is read, after others."""
    monkeypatch.setattr(adding, "_ROWS", 5000)
    root = small_tmpfs("1M") / "c"
    (tmp_path / "a.txt").write_text(SACCT)
    (tmp_path / "b.csv").write_text(
        "job,start,command\n" + "".join(f"{n},1767265200,{os.urandom(60).hex()}\n" for n in range(30_000))
    )
    with pytest.raises(OutputError, match="No space"):
        add(root, [tmp_path / "a.txt", tmp_path / "b.csv"])
    assert rows(root, "scheduler_jobs") == 1, "what was before it is there"
    assert checks.leftovers(catalog.open(root), repair=False) == (0, 0)


def test_who_watches_reads_logs_with_all_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It asked for no thread at all, which is one."""
    used: list[int] = []
    read = job_logs.read

    def counted(paths: list[Path], threads: int, *more: Any) -> job_logs.Reading:
        used.append(threads)
        return read(paths, threads, *more)

    monkeypatch.setattr(job_logs, "read", counted)
    write(tmp_path / "a.hr", [(0, 100, 7)])
    end = threading.Event()
    watch.watch(tmp_path / "c", [tmp_path], 0.1, end, lambda _: end.set())
    assert used == [len(os.sched_getaffinity(0))]
