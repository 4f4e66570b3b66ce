"""Scans as tables and files."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from headrace import _native, scans
from headrace._errors import (
    LogCorruptError,
    LogError,
    LogForeignError,
    LogUnsupportedError,
    UsageError,
)
from headrace.catalog import schema
from headrace.scans import bins, tables
from headrace.scans.rows import write_parquet
from headrace.scans.scan import Bin, Key, Scan
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

FACTS = {"format_version": "1", "root": "/s", "host": "h", "start_utc_ns": "1000", "end_utc_ns": "5000"}


def a_scan() -> Scan:
    scan = Scan({**FACTS, "files": "3", "bytes": "7", "complete": "yes"})
    scan.bins[Key("size", "all", "", 2)] = Bin(3, 7, 7, 0.0)
    scan.bins[Key("modified_age", "user", "ann", -1)] = Bin(3, 7, -9, -21.0)
    scan.ranges["size"] = 2, 3
    scan.problems.append(("/s/\ufffd\n", "Permission denied"))
    return scan


@given(st.sampled_from(sorted(bins.HISTOGRAMS)), st.integers(-(2**63), 2**63 - 1))
def test_every_value_is_inside_of_its_bin(name: str, value: int) -> None:
    low, high = bins.edges(name, bins.bucket_of(name, value))
    if bins.HISTOGRAMS[name].bins != "ages":
        value = max(value, 0)
    assert low is None or low <= value
    assert high is None or value < high


@pytest.mark.parametrize("name", sorted(bins.HISTOGRAMS))
def test_bins_follow_each_other_without_gaps(name: str) -> None:
    buckets = bins.bucket_range(name)
    for one, next_ in itertools.pairwise(buckets):
        assert bins.edges(name, one)[1] == bins.edges(name, next_)[0]
    assert bins.edges(name, buckets[-1])[1] is None
    with pytest.raises(ValueError, match="has no bin"):
        bins.edges(name, buckets[-1] + 1)


def test_days_are_edges_of_ages() -> None:
    assert [bins.edges("modified_age", 8 + day)[0] for day in range(4)] == [86400 << day for day in range(4)]


def test_columns_are_those_of_the_catalog() -> None:
    found = tables.tables_of(a_scan())
    for name, table in found.items():
        assert table.schema.equals(schema.arrow_schema(name), check_metadata=False), name


def test_a_file_gives_what_was_written(tmp_path: Path) -> None:
    scan = a_scan()
    scan.save(str(tmp_path / "a.hr"))
    again = scans.load(tmp_path / "a.hr")
    assert (again.facts, again.bins, again.ranges, again.problems) == (
        scan.facts, scan.bins, scan.ranges, scan.problems,
    )  # fmt: skip
    assert again.identity() == scan.identity()
    assert [file.name for file in tmp_path.iterdir()] == ["a.hr"]


def test_tables_can_be_written_again(tmp_path: Path) -> None:
    a_scan().save(str(tmp_path / "a.hr"))
    first = scans.read(tmp_path / "a.hr")
    scans.write(tmp_path / "b.hr", first)
    second = scans.read(tmp_path / "b.hr")
    for name in ("scans", "scan_histograms", "scan_problems"):
        kept = [column for column in first[name].column_names if column not in ("scan", "source")]
        assert second[name].select(kept).equals(first[name].select(kept))
    scans.write(tmp_path / "c.hr", second)
    assert scans.read(tmp_path / "c.hr")["scans"]["scan"] == second["scans"]["scan"]


def write(path: Path, **tables_: dict[str, list[object]]) -> Path:
    _native.write_tables(bytes(path), tables_)
    return path


def facts(**more: str) -> dict[str, list[object]]:
    every = {**FACTS, **more}
    return {"key": list(every), "value": list(every.values())}


def test_what_is_no_scan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogForeignError, match="no scan"):
        scans.load(write(tmp_path / "a.hr", job={"key": ["x"], "value": ["y"]}))
    with pytest.raises(LogUnsupportedError, match="newer Headrace"):
        scans.load(write(tmp_path / "b.hr", scan=facts(format_version="2")))
    with pytest.raises(LogCorruptError, match="'files' is no number"):
        scans.read(write(tmp_path / "c.hr", scan=facts(files="many")))


COLUMNS: dict[str, list[object]] = {
    "histogram": ["size"], "owned_by": ["all"], "owner": [""], "bucket": [1], "files": [1], "bytes": [1],
}  # fmt: skip


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [("bucket", 64, "where none can be"), ("files", 2**63, "beyond"), ("files", "x", "wrong type"),
     ("histogram", 7, "wrong type")],
)  # fmt: skip
def test_wrong_bins_are_refused(tmp_path: Path, column: str, value: object, why: str) -> None:
    path = write(tmp_path / "a.hr", scan=facts(), scan_histograms={**COLUMNS, column: [value]})
    with pytest.raises(LogCorruptError, match=why):
        scans.load(path)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    rest = {name: values for name, values in COLUMNS.items() if name != "owner"}
    with pytest.raises(LogCorruptError, match="'owner' is missing"):
        scans.load(write(tmp_path / "a.hr", scan=facts(), scan_histograms=rest))


def test_damage_makes_a_scan_incomplete(tmp_path: Path) -> None:
    a_scan().save(str(tmp_path / "a.hr"))
    data = bytearray((tmp_path / "a.hr").read_bytes())
    in_header = data.index(b"scan_problems")
    data[in_header - 16 + 100] ^= 1  # the first byte of that chunk's payload
    (tmp_path / "a.hr").write_bytes(data)
    scan = scans.load(tmp_path / "a.hr")
    assert not scan.complete
    assert "damaged" in scan.facts["complete"]
    assert scan.problems == []


def test_a_scan_that_was_cut_off_is_incomplete(tmp_path: Path) -> None:
    a_scan().save(str(tmp_path / "a.hr"))
    data = (tmp_path / "a.hr").read_bytes()
    for length in range(len(data)):
        (tmp_path / "cut.hr").write_bytes(data[:length])
        try:
            assert not scans.load(tmp_path / "cut.hr").complete, length
        except LogError as error:
            assert "cut.hr" in str(error)
    assert scans.load(tmp_path / "a.hr").complete


def test_histograms_of_later_versions_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path / "a.hr", scan=facts(), scan_histograms={**COLUMNS, "histogram": ["colour"]})
    assert scans.load(path).bins == {}


def test_several_scans_are_no_file(tmp_path: Path) -> None:
    found = tables.tables_of(a_scan())
    twice = {**found, "scans": found["scans"].take([0, 0])}
    with pytest.raises(UsageError, match="2 rows"):
        scans.write(tmp_path / "a.hr", twice)


@pytest.mark.parametrize("name", ["files.x", "files.", "files.0", "other"])
def test_rows_of_another_kind_are_refused(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "rows.hr", **{name: {"size": [1]}})
    with pytest.raises(LogForeignError):
        write_parquet(str(path), str(tmp_path / "rows.parquet"))
    assert [one.name for one in tmp_path.iterdir()] == ["rows.hr"]


NUMBERS = ("size", "capacity", "modified", "accessed", "changed", "user", "group", "links", "device", "inode")
kinds = st.sampled_from([1, -1, 2**64 - 1, "x", b"\xff", 1.5])


made = st.fixed_dictionaries({name: st.just(7) | kinds for name in ("path", "type", *NUMBERS)})


@given(made, st.booleans())
@settings(deadline=None)
def test_rows_of_any_types_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, row: dict[str, object], named: bool
) -> None:
    place = tmp_path_factory.mktemp("rows")
    row |= {"path": b"/a\xff"} if named else {}
    path = write(place / "rows.hr", **{"files.1": {name: [value] for name, value in row.items()}})
    target = place / "rows.parquet"
    try:
        assert write_parquet(str(path), str(target)) == 1
    except LogForeignError as error:
        wrong = str(error).rpartition("column ")[2].split()[0]
        assert not isinstance(row[wrong], (str, bytes) if wrong == "path" else int)
        assert not target.exists()
    else:
        (found,) = parquet.read_table(target).to_pylist()
        assert found["type"] == ("directory" if row["type"] == 1 else "other")
        assert isinstance(row["path"], str | bytes)
