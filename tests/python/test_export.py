"""`headrace export`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import headrace as package
import pyarrow.parquet
import pytest
from commands import headrace
from made_logs import LogMaker, simulation


@pytest.mark.parametrize("target", ["parquet", "csv", "json"])
def test_every_table_is_written_and_said(tmp_path: Path, target: str) -> None:
    log = simulation(tmp_path / "a.hr")
    run = headrace("export", log, "--to", target, "-o", tmp_path / "out")
    assert run.returncode == 0, run.stderr
    names = package.open(log).tables
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        f"{n}.{target}" for n in names
    )
    assert [line.split(": ")[0] for line in run.stdout.splitlines()] == [
        str(tmp_path / "out" / f"{name}.{target}") for name in names
    ]
    assert "files.%s: 10 rows" % target in run.stdout  # noqa: UP031


def test_parquet_is_the_table_with_its_units(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    assert headrace("export", log, "--to", "parquet", "-o", tmp_path).returncode == 0
    for name in package.open(log).tables:
        table = pyarrow.parquet.read_table(tmp_path / f"{name}.parquet")
        assert table.to_pylist() == package.open(log).table(name).to_pylist()
    files = pyarrow.parquet.read_table(tmp_path / "files.parquet")
    assert files.schema.field("read_ns").metadata[b"unit"] == b"ns"
    metadata = pyarrow.parquet.read_metadata(tmp_path / "files.parquet").metadata
    columns = json.loads(metadata[b"headrace.columns"])
    assert columns["write_max_size"]["with"] == "write_max_ns"


def test_json_is_the_table(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    assert headrace("export", log, "--to", "json", "-o", tmp_path).returncode == 0
    for name in package.open(log).tables:
        rows = json.loads((tmp_path / f"{name}.json").read_text())
        assert rows == package.open(log).table(name).to_pylist()


def test_csv_values_are_exact(tmp_path: Path) -> None:
    maker = LogMaker()
    names = ["=1+1", '"quoted", comma', "new\nline", "caf\u00e9", "plain", ""]
    for name in names:
        maker.file((1 << 64) - 1, name, opens=(1 << 64) - 1)
    maker.process(1, arguments=b'a b\0c"d\0')
    log = maker.write(tmp_path / "a.hr")
    run = headrace("export", log, "--to", "csv", "-o", tmp_path, "--table", "files", "--table", "processes")
    assert run.returncode == 0, run.stderr
    with (tmp_path / "files.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["path"] for row in rows] == names
    assert {row["opens"] for row in rows} == {str((1 << 64) - 1)}
    with (tmp_path / "processes.csv").open(newline="", encoding="utf-8") as file:
        assert json.loads(next(csv.DictReader(file))["arguments"]) == ["a b", 'c"d']


def test_existing_files_are_kept_unless_forced(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    (tmp_path / "files.csv").write_text("mine")
    run = headrace("export", log, "--to", "csv", "-o", tmp_path)
    assert run.returncode == 4
    assert "files.csv: exists already; --force" in run.stderr
    assert (tmp_path / "files.csv").read_text() == "mine"
    assert not (tmp_path / "job.csv").exists(), "nothing is written when something would be refused"
    assert headrace("export", log, "--to", "csv", "-o", tmp_path, "--force").returncode == 0
    assert (tmp_path / "files.csv").read_text() != "mine"


def test_unknown_tables_and_bad_directories(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    run = headrace("export", log, "--to", "csv", "-o", tmp_path / "o", "--table", "nonsense")
    assert run.returncode == 2
    assert "there are job, names, processes, files" in run.stderr
    (tmp_path / "file").write_text("")
    run = headrace("export", log, "--to", "csv", "-o", tmp_path / "file")
    assert run.returncode == 4
    assert "cannot be made a directory" in run.stderr


def test_tables_without_rows(tmp_path: Path) -> None:
    log = LogMaker().write(tmp_path / "a.hr")
    for target in ("parquet", "csv", "json"):
        run = headrace("export", log, "--to", target, "-o", tmp_path)
        assert run.returncode == 0, run.stderr
    assert json.loads((tmp_path / "files.json").read_text()) == []
    assert (tmp_path / "gaps.csv").read_text() == '"process","what","amount","unit","reason"\n'
    assert pyarrow.parquet.read_table(tmp_path / "files.parquet").num_columns == 8 + len(package.counters())


def test_export_asks_for_what_it_lacks(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    run = headrace("export", log)
    assert run.returncode == 2
    assert f"for example: headrace export {log} --to parquet -o tables\n" in run.stderr
    assert "--to csv -o tables" in headrace("export", log, "--to", "csv").stderr
