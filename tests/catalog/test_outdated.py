"""Files that people write, are changed and added again: what they said before counts no more."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from headrace import catalog
from headrace.catalog import checks
from headrace.catalog.add import add
from headrace.catalog.compact import compact

MAY = (
    '[[calendar]]\nstart = 2026-05-01T00:00:00Z\nend = 2026-05-02T00:00:00Z\nkind = "outage"\ntext = "May"\n'
)
JUNE = MAY.replace("-05-", "-06-").replace("May", "June")
CEILING = '[[ceilings]]\nname = "network"\nmib_per_s_per_node = 100.0\ntext = "measured"\n'


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def said(root: Path, table: str = "calendar", column: str = "text") -> list[str]:
    return sorted(catalog.open(root).table(table)[column].to_pylist())


def test_a_changed_file_takes_the_place_of_what_it_said(tmp_path: Path) -> None:
    root, file = tmp_path / "c", write(tmp_path / "site.toml", MAY + CEILING)
    other = write(tmp_path / "other.toml", JUNE)
    assert add(root, [file, other]).added == 2
    write(file, MAY.replace('"May"', '"spring"') + CEILING.replace("100", "90"))
    report = add(root, [file, other])
    assert (report.added, report.known, report.rows) == (1, 1, 2)
    assert said(root) == ["June", "spring"]
    assert catalog.open(root).table("ceilings")["mib_per_s_per_node"].to_pylist() == [90.0]
    assert said(root, "sources", "path") == sorted([str(file), str(other)])
    assert checks.problems(catalog.open(root)) == []


def test_what_a_file_says_no_more_is_gone_and_what_it_says_again_is_back(tmp_path: Path) -> None:
    root, file = tmp_path / "c", write(tmp_path / "site.toml", MAY + CEILING)
    add(root, [file])
    add(root, [write(file, MAY)])
    assert said(root, "ceilings") == [] and said(root) == ["May"]
    add(root, [write(file, "[site]\n")])
    assert said(root) == []
    assert add(root, [write(file, MAY + CEILING)]).added == 1
    assert said(root, "ceilings") == ["measured"] and said(root) == ["May"]
    assert add(root, [write(file, "[site]\n")]).added == 1
    assert said(root) == [] and len(said(root, "sources", "path")) == 1


def test_files_of_one_name_in_two_directories_are_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "c"
    for place, text in (("a", MAY), ("b", JUNE)):
        write(tmp_path / place / "site.toml", text)
        monkeypatch.chdir(tmp_path / place)
        add(root, [Path("site.toml")])
    assert said(root) == ["June", "May"]
    write(tmp_path / "b" / "site.toml", JUNE.replace("June", "summer"))
    monkeypatch.chdir(tmp_path)
    add(root, [Path("a", "..", "b", "site.toml")])
    assert said(root) == ["May", "summer"]


def test_files_that_say_the_same_are_two(tmp_path: Path) -> None:
    """When one of them was changed, what the other still says was gone."""
    root = tmp_path / "c"
    first, second = (write(tmp_path / f"{name}.toml", MAY) for name in "ab")
    assert add(root, [first, second]).added == 2
    assert said(root) == ["May", "May"]
    report = add(root, [write(first, JUNE), second])
    assert (report.added, report.known) == (1, 1)
    assert said(root) == ["June", "May"]


def test_a_file_that_was_moved_is_the_same(tmp_path: Path) -> None:
    """Both versions counted when it was changed later."""
    root, old, new = tmp_path / "c", write(tmp_path / "a.toml", MAY), tmp_path / "b.toml"
    add(root, [old])
    old.rename(new)
    add(root, [new])
    assert said(root) == ["May"] and said(root, "sources", "path") == [str(new)]
    add(root, [write(new, JUNE)])
    assert said(root) == ["June"]


def test_a_file_that_an_earlier_version_added_is_known_by_its_content(tmp_path: Path) -> None:
    from headrace.catalog.batch import Batch, add_batch
    from headrace.catalog.reading import read
    from headrace.catalog.source import Source

    root, file = tmp_path / "c", write(tmp_path / "site.toml", MAY)
    found, batch = read(file, "toml"), Batch()
    batch.add(Source(found.digest, os.fspath(file), "toml", 1), found.tables)
    add_batch(root, catalog.create(root).state, batch)
    add(root, [file])
    assert said(root) == ["May"] and len(said(root, "sources", "path")) == 1


def test_rows_of_elsewhere_stay_and_parts_put_together_are_no_obstacle(tmp_path: Path) -> None:
    import pyarrow

    root, file = tmp_path / "c", write(tmp_path / "site.toml", MAY)
    add(root, [file])
    rows = pyarrow.Table.from_pylist(
        [{"start": 0, "end": 1, "kind": "note", "text": "by hand"}],
        schema=pyarrow.schema(field for field in catalog.arrow_schema("calendar") if field.name != "source"),
    )
    catalog.write_tables(root, {"calendar": rows}, "a test")
    assert compact(catalog.open(root), 2) == 4, "two parts each of the calendar and of the sources"
    before = catalog.open(root)
    add(root, [write(file, JUNE)])
    assert said(root) == ["June", "by hand"]
    assert sorted(before.table("calendar")["text"].to_pylist()) == ["May", "by hand"], "who read goes on"
    assert checks.leftovers(catalog.open(root), repair=True)[0] == 0, "and still does after a repair"


def test_adders_of_two_versions_at_a_time_leave_one_of_them(tmp_path: Path) -> None:
    root, versions = tmp_path / "c", [MAY.replace("May", f"version {n}") for n in range(4)]
    file = tmp_path / "site.toml"
    add(root, [write(file, MAY)])
    turns = threading.Barrier(len(versions))

    def one(text: str) -> None:
        # One path whose content differs from reader to reader, as while somebody edits it.
        from headrace.catalog.batch import Batch, add_batch
        from headrace.catalog.reading import read
        from headrace.catalog.source import Source

        mine = write(tmp_path / str(versions.index(text)) / "site.toml", text)
        found = read(mine, "toml", None)
        batch = Batch()
        batch.add(Source(found.digest, os.fspath(file), "toml", len(text)), found.tables)
        state = catalog.open(root).state
        turns.wait(20)
        add_batch(root, state, batch)

    threads = [threading.Thread(target=one, args=(text,)) for text in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(said(root)) == 1 and said(root)[0].startswith("version")
    assert len(said(root, "sources", "path")) == 1
    assert checks.problems(catalog.open(root)) == []
