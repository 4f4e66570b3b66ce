"""headrace.samples: what is written is read again, and damage is said."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow
import pytest
from headrace import _errors, _native, samples
from headrace.catalog.schema import TABLES, arrow_schema
from hypothesis import given, settings
from hypothesis import strategies as st

START = datetime.datetime(2026, 11, 24, tzinfo=datetime.timezone.utc)


def row(table: str, **values: object) -> dict[str, object]:
    """A row with plain values, and those given."""
    plain = {"int64": 0, "text": "x", "time": START}
    return {column.name: values.get(column.name, plain[column.type]) for column in TABLES[table].columns}


def table_of(name: str, rows: list[dict[str, object]]) -> pyarrow.Table:
    return pyarrow.Table.from_pylist(rows, schema=arrow_schema(name))


@pytest.mark.parametrize("name", samples.TABLES)
def test_the_columns_are_those_of_the_catalog(name: str, tmp_path: Path) -> None:
    samples.write(tmp_path / "a.hr", {name: table_of(name, [row(name)])})
    assert samples.read(tmp_path / "a.hr")[name].schema.equals(arrow_schema(name))


counts = st.integers(0, 2**63 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
moments = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2200, 1, 1)).map(
    lambda moment: moment.replace(tzinfo=datetime.timezone.utc)
)
rows = st.builds(
    row,
    st.just("samples"),
    host=texts,
    device=texts,
    start=moments,
    end=moments,
    reads=counts,
    write_bytes=counts,
    busy_ms=st.none() | counts,
    metadata=st.none() | counts,
)


@settings(max_examples=50, deadline=None)
@given(st.lists(rows, max_size=20))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, made: list[dict[str, object]]
) -> None:
    path = tmp_path_factory.mktemp("samples") / "a.hr"
    samples.write(path, {"samples": table_of("samples", made)})
    tables = samples.read(path)
    assert tables["samples"].to_pylist() == made
    assert tables["sample_gaps"].num_rows == tables["server_jobs"].num_rows == 0


def test_a_directory_gives_all_its_files_and_says_what_it_cannot_read(tmp_path: Path) -> None:
    for host in ("a", "b"):
        (tmp_path / host).mkdir()
        samples.write(tmp_path / host / "1.hr", {"samples": table_of("samples", [row("samples", host=host)])})
    (tmp_path / "b" / "2.hr").write_text("no chunk file")
    problems: list[str] = []
    assert samples.read(tmp_path, problems)["samples"]["host"].to_pylist() == ["a", "b"]
    assert len(problems) == 1
    assert "b/2.hr" in problems[0]


def test_a_tail_counts_from_where_the_file_ends(tmp_path: Path) -> None:
    def stored(name: str, ticks: list[int]) -> None:
        columns = samples._to_file(
            "samples", table_of("samples", [row("samples", reads=tick) for tick in ticks])
        )
        _native.write_tables(bytes(tmp_path / name), {"samples": {"tick": ticks, **columns}})

    stored("1.open.hr", [1, 2, 3])
    stored("1.tail.hr", [2, 3, 4])
    assert samples.files(tmp_path) == [tmp_path / "1.open.hr"]
    assert samples.read(tmp_path)["samples"]["reads"].to_pylist() == [1, 2, 3, 4]
    (tmp_path / "1.tail.hr").write_bytes(b"")
    assert samples.read(tmp_path / "1.open.hr")["samples"]["reads"].to_pylist() == [1, 2, 3]
    samples.write(tmp_path / "1.tail.hr", {"samples": table_of("samples", [row("samples")])})
    with pytest.raises(_errors.LogCorruptError, match="no column 'tick'"):
        samples.read(tmp_path / "1.open.hr")


def test_a_cut_file_gives_its_whole_chunks_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "1.hr"
    gaps = table_of("sample_gaps", [row("sample_gaps", reason="restart")])
    samples.write(path, {"sample_gaps": gaps, "samples": table_of("samples", [row("samples")] * 5)})
    whole = path.read_bytes()
    for end in range(1, len(whole), 17):
        path.write_bytes(whole[:end])
        problems: list[str] = []
        try:
            read = samples.read(path, problems)
        except _errors.LogError:
            continue
        assert read["samples"].num_rows in (0, 5)
        assert read["sample_gaps"].to_pylist() in ([], gaps.to_pylist())


def test_the_queue_is_what_is_stored_of_it_and_the_times_of_reads_and_writes(tmp_path: Path) -> None:
    made = [row("samples", read_ms=10, write_ms=20), row("samples", read_ms=3, write_ms=None), row("samples")]
    columns = samples._to_file("samples", table_of("samples", made))
    del columns["queue_ms"]
    columns["queue_rest_ms"] = [-2, -3, 2**63 - 1]
    _native.write_tables(bytes(tmp_path / "a.hr"), {"samples": columns})
    assert samples.read(tmp_path)["samples"]["queue_ms"].to_pylist() == [28, None, 2**63 - 1]
    del columns["write_ms"]
    _native.write_tables(bytes(tmp_path / "b.hr"), {"samples": columns})
    with pytest.raises(_errors.LogCorruptError, match="no column 'write_ms'"):
        samples.read(tmp_path / "b.hr")
    _native.write_tables(bytes(tmp_path / "c.hr"), {"samples": {**columns, "write_ms": ["x", "y", "z"]}})
    with pytest.raises(_errors.LogCorruptError, match="'write_ms' of the table 'samples' has another type"):
        samples.read(tmp_path / "c.hr")


def test_files_of_other_kinds_are_refused(tmp_path: Path) -> None:
    _native.write_tables(bytes(tmp_path / "log.hr"), {"job": {"key": ["a"], "value": ["b"]}})
    with pytest.raises(_errors.LogForeignError, match="without samples"):
        samples.read(tmp_path / "log.hr")
    with pytest.raises(_errors.LogNotFoundError, match="no such file"):
        samples.read(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(_errors.LogNotFoundError, match="no samples in this directory"):
        samples.read(tmp_path / "empty")


def test_counts_below_zero_and_wrong_types_are_damage(tmp_path: Path) -> None:
    columns = samples._to_file("samples", table_of("samples", [row("samples")]))
    _native.write_tables(bytes(tmp_path / "a.hr"), {"samples": {**columns, "reads": [-5]}})
    with pytest.raises(_errors.LogCorruptError, match="'reads' of the table 'samples' has a count below 0"):
        samples.read(tmp_path / "a.hr")
    _native.write_tables(bytes(tmp_path / "b.hr"), {"samples": {**columns, "reads": ["many"]}})
    with pytest.raises(_errors.LogCorruptError, match="another type"):
        samples.read(tmp_path / "b.hr")
    del columns["device"]
    _native.write_tables(bytes(tmp_path / "c.hr"), {"samples": columns})
    with pytest.raises(_errors.LogCorruptError, match="no column 'device'"):
        samples.read(tmp_path / "c.hr")


def test_no_store_is_told_wherever_it_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none", tmp_path / "file" / "below"):
        with pytest.raises(samples.LogNotFoundError, match="no such file"):
            samples.files(path)
    with pytest.raises(samples.LogNotFoundError, match="no samples in this directory"):
        samples.files(tmp_path)
