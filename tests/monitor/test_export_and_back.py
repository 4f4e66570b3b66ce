"""What `headrace monitor export` writes, a catalog takes unchanged, with the device map."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from headrace import catalog, foreign_samples, samples
from headrace.catalog import add
from headrace.catalog.schema import TABLES, arrow_schema
from headrace.commands.monitor_export import command

NOON = 1_795_521_600_000_000
HOSTILE = ["oss1", 'a"b,c', "two\nlines", " ", "\N{SNOWMAN}=1+1", "x'; DROP TABLE samples"]


def store(place: Path) -> Path:
    """Names that CSV has to quote, times of microseconds, numbers up to the greatest, and nulls."""
    most = 2**63 - 1
    made = [
        {
            "host": host, "boot": "", "kind": "block", "device": host[::-1], "start": NOON + number,
            "end": NOON + 10**6 + number, "reads": number, "read_bytes": most - number, "writes": None,
            "write_bytes": 0, "read_ms": None, "write_ms": number, "busy_ms": most, "queue_ms": None,
            "metadata": None if number % 2 else 5,
        }
        for number, host in enumerate(HOSTILE)
    ]  # fmt: skip
    common = {"host": "oss1", "start": NOON, "end": NOON - 7}
    gaps = [{**common, "device": "", "reason": "clock"}]
    job = dict.fromkeys(("reads", "read_bytes", "writes", "write_bytes", "metadata"), most)
    jobs = [{**common, "end": NOON + 7, "device": "OST0", "job": "7\n8", **job}]
    tables: dict[str, list[dict[str, Any]]]
    tables = {"samples": made, "sample_gaps": gaps, "server_jobs": jobs}
    samples.write(place / "s.hr", {name: samples.table(name, rows) for name, rows in tables.items()})
    return place / "s.hr"


def export(*words: object) -> None:
    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, done.output


def content(root: Path, table: str) -> list[dict[str, Any]]:
    rows = catalog.open(root).table(table).to_pylist()
    return sorted(rows, key=str)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_every_table_comes_back_unchanged(form: str, tmp_path: Path) -> None:
    made = store(tmp_path)
    for number, table in enumerate(samples.TABLES):
        name = tmp_path / f"x{number}.{form}"
        export(made, "--table", table, f"--{form}", name)
        report = add.add(tmp_path / "c", [name])
        assert (report.added, report.bad) == (1, [])
    add.add(tmp_path / "own", [made])
    for table in samples.TABLES:
        assert content(tmp_path / "c", table) == content(tmp_path / "own", table)
        assert catalog.open(tmp_path / "c").table(table).schema.equals(arrow_schema(table))


def test_what_is_damaged_of_a_store_is_told(tmp_path: Path) -> None:
    made = store(tmp_path)
    made.write_bytes(made.read_bytes()[:-9])
    report = add.add(tmp_path / "c", [made])
    assert [path for path, _ in report.bad] == [made]
    assert "damaged at byte" in report.bad[0][1]
    assert report.bad[0][1].endswith("the rest is added")
    assert report.added == 1


def test_csv_of_samples_is_known_by_its_columns(tmp_path: Path) -> None:
    names = [column.name for column in TABLES["sample_gaps"].columns]
    line = {
        "host": "a",
        "device": "",
        "start": "2026-11-24 12:00:00Z",
        "end": "2026-11-24T13:00:00Z",
        "reason": "x",
    }
    for number, order in enumerate((names, names[::-1])):
        text = f"\ufeff{','.join(order)}\r\n{','.join(line[name] for name in order)}\r\n"
        (tmp_path / f"{number}.txt").write_text(text, newline="")
    (tmp_path / "bad.csv").write_text(f"{','.join(names)}\na,b,soon,later,x\n")
    (tmp_path / "empty.csv").write_text(f"{','.join(names)}\n")
    report = add.add(tmp_path / "c", sorted(tmp_path.glob("*.*")))
    assert report.added == 3
    (why,) = (why for _, why in report.bad)
    assert "bad.csv: a row is none of the table 'sample_gaps'" in why
    noon = datetime.datetime(2026, 11, 24, 12, tzinfo=datetime.timezone.utc)
    expected = {**line, "start": noon, "end": noon + datetime.timedelta(hours=1)}
    assert content(tmp_path / "c", "sample_gaps") == [expected] * 2


def test_the_device_map_is_applied_alike(tmp_path: Path) -> None:
    """Own samples, imported ones, and those that were exported: one host and device, one server."""
    header = "#Time,Time_usec,ProducerName,reads_comp#sdb,sect_read#sdb\n"
    ldms = header + "".join(f"{NOON // 10**6 + step}.0,0,oss1,{step},{step}\n" for step in range(3))
    (tmp_path / "ldms.csv").write_text(ldms)
    imported = foreign_samples.read(tmp_path / "ldms.csv")
    samples.write(tmp_path / "own.hr", imported.tables)
    export(tmp_path / "own.hr", "--csv", tmp_path / "e.csv")
    rules = '[[devices]]\nhost = "oss*"\ndevice = "sd*"\nserver = "s1"\nfile_system = "fast"\n'
    (tmp_path / "map.toml").write_text(rules)
    (tmp_path / "each").mkdir()
    for name in ("ldms.csv", "own.hr", "e.csv"):
        add.add(tmp_path / "each" / name, [tmp_path / name, tmp_path / "map.toml"])
        query = "SELECT server, file_system, reads, read_bytes FROM device_minutes"
        found = catalog.open(tmp_path / "each" / name).connect().execute(query).fetchall()
        assert found == [("s1", "fast", 1, 512)] * 2


def test_csv_to_a_pipe(tmp_path: Path) -> None:
    made = store(tmp_path)
    export(made, "--csv", tmp_path / "x.csv")
    done = CliRunner().invoke(command, [str(made), "--csv", "-"])
    assert done.exit_code == 0
    assert done.stdout_bytes == (tmp_path / "x.csv").read_bytes()
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith("-")] == []
