"""Spark in place of DuckDB: the same tables, views and figures, and nothing left behind.

Spark starts once for this file, and once for what runs the commands.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from headrace import catalog
from headrace._errors import CatalogError, MissingPackageError, UsageError
from headrace.catalog import spark_start
from headrace.catalog.schema import TABLES, arrow_schema
from headrace.catalog.spark import Spark
from headrace.catalog.spark_sql import one_select, translated
from headrace.catalog.views import VIEWS
from headrace.study import Pseudonyms, Settings
from headrace.study.build import study_of
from headrace.study.facts import facts
from made_catalog import hours, site, write
from same_sql import ALIKE, OTHERWISE, QUERIES

EVIL = 'it\'s \\ "${env:HOME}" `x`; -- \n\u00e9'
MASTER = "local[2]"
FACILITY = ["--jobs", "200", "--seed", "7", "--shrink", "64", "--servers", "2", "--minutes", "3000"]


@pytest.fixture(scope="module", autouse=True)
def quick_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiling queries, and planning them anew, is quick with much data and slow with little."""
    place = tmp_path_factory.mktemp("conf")
    lines = ("spark.sql.codegen.wholeStage false", "spark.sql.adaptive.enabled false")
    # What sites may have set, by which parts that are damaged or gone had no rows, and nobody was told.
    lines += ("spark.sql.files.ignoreCorruptFiles true", "spark.sql.files.ignoreMissingFiles true")
    (place / "spark-defaults.conf").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(place))
        patch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        yield
        spark_start.stop()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Spark]]:
    """A catalog in a directory of a hostile name, with such names, and integers that no double holds."""
    root = tmp_path_factory.mktemp("spark") / "c [ab]{c}*?%20\\ 'x'"
    tables = site()
    tables["site"].append({"key": EVIL, "value": EVIL})
    tables["logs"].append(dict(tables["logs"][0], log=2**62 + 1, bytes_rank0=2**60 + 1, executable=EVIL))
    write(root, tables)
    (root / "logs" / "unknown").mkdir(exist_ok=True)
    (root / "logs" / "unknown" / "stray.parquet").write_bytes(b"no commit names this")
    made = catalog.open(root).spark(MASTER)
    yield root, made
    made.close()


def test_ctrl_c_is_what_it_was(small: tuple[Path, Spark]) -> None:
    assert small and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def told(connection: Any, settings: Settings) -> dict[str, Any]:
    try:
        return facts(study_of(connection, settings))
    finally:
        connection.close()


def assert_same(one: Any, other: Any, place: str) -> None:
    """Counts, bytes and words exactly; what was divided, but for the last digits."""
    assert type(one) is type(other), (place, one, other)
    if isinstance(one, dict):
        assert list(one) == list(other), place
        for key, value in one.items():
            assert_same(value, other[key], f"{place}/{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), place
        for number, (value, twin) in enumerate(zip(one, other, strict=True)):
            assert_same(value, twin, f"{place}[{number}]")
    elif isinstance(one, float):
        assert math.isclose(one, other, rel_tol=1e-9), (place, one, other)
    else:
        assert one == other, place


@pytest.mark.soak  # a minute; those below ask for figures, tables and views of smaller catalogs
def test_every_figure_of_a_facility_is_the_same(tmp_path: Path) -> None:
    line = [sys.executable, "-P", "-m", "headrace", "bench", "facility", *FACILITY]
    done = subprocess.run(
        [*line, "--direct", str(tmp_path / "c")], capture_output=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    made = catalog.open(tmp_path / "c")
    settings = Settings(min_processes=16, min_bytes=1 << 20, top=5)
    duckdb, spark = (told(each, settings) for each in (made.connect(), made.spark(MASTER)))
    figures = [figure for section in duckdb["sections"] for figure in section["figures"]]
    assert sum(bool(figure["rows"]) for figure in figures) >= 30
    assert_same(duckdb, spark, "")


@pytest.mark.soak  # half a minute
def test_filters_and_pseudonyms_are_the_same(small: tuple[Path, Spark]) -> None:
    made = catalog.open(small[0])
    both = []
    for connection in (made.connect(), made.spark(MASTER)):
        names = Pseudonyms()
        period = {"start": hours(-1), "end": datetime(2026, 3, 1, 6, 30, 0, 5, timezone.utc)}
        both.append(told(connection, Settings(min_processes=1, min_bytes=0, pseudonyms=names, **period)))
    assert_same(*both, "")


def test_tables_and_views_have_the_same_rows_and_no_digit_is_lost(small: tuple[Path, Spark]) -> None:
    root, spark = small
    duckdb = catalog.open(root).connect()
    for name in (*TABLES, *VIEWS):
        asked = f'SELECT * FROM "{name}"'
        rows = [
            connection.to_pylist() for connection in (duckdb.sql(asked).to_arrow_table(), spark.ask(asked))
        ]
        first, second = (sorted(each, key=lambda row: repr(sorted(row.items(), key=str))) for each in rows)
        assert_same([{**row} for row in first], [{**row} for row in second], name)
    found = spark.ask("SELECT log, bytes_rank0 FROM logs ORDER BY log DESC LIMIT 1").to_pylist()
    assert found == [{"log": 2**62 + 1, "bytes_rank0": 2**60 + 1}]
    found = spark.ask("SELECT value FROM site WHERE value LIKE 'it%'").to_pylist()
    assert found == [{"value": EVIL}]


def test_names_are_no_sql(small: tuple[Path, Spark]) -> None:
    from headrace.study.query import rows, text

    found = rows(small[1], f"SELECT {text(EVIL)} AS name, {text('')} AS nothing")
    assert found == [{"name": EVIL, "nothing": ""}]


def test_ibis_has_the_same_tables_and_views(small: tuple[Path, Spark]) -> None:
    jobs = small[1].ibis.table("jobs")
    assert jobs.filter(jobs.covered).count().execute() == len(
        small[1].ask("SELECT 1 AS one FROM jobs WHERE covered")
    )


def test_parts_of_before_a_column_have_nulls(tmp_path: Path, small: tuple[Path, Spark]) -> None:
    for columns in (["key", "value"], ["key"]):
        schema = pyarrow.schema([arrow_schema("site").field(name) for name in columns])
        rows = pyarrow.Table.from_pylist([dict.fromkeys(columns, "a")], schema=schema)
        catalog.write_tables(tmp_path / "c", {"site": rows}, "a test")
    asked = "SELECT key, value FROM site ORDER BY value"
    found = catalog.open(tmp_path / "c").spark(MASTER).ask(asked).to_pylist()
    assert found == [{"key": "a", "value": "a"}, {"key": "a", "value": None}]


def test_damaged_and_missing_parts_are_told(tmp_path: Path, small: tuple[Path, Spark]) -> None:
    made = catalog.open(write(tmp_path / "c", site()))
    part = tmp_path / "c" / made.state.of("scans")[0].path
    part.chmod(0o644)
    part.write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
    with pytest.raises(CatalogError, match=rf"{part.name}.*verify"):
        made.spark(MASTER).ask("SELECT sum(files) AS n FROM scans")
    spark = made.spark(MASTER)
    part.unlink()
    with pytest.raises(CatalogError, match="verify"):
        spark.ask("SELECT sum(files) AS n FROM scans")
    with pytest.raises(CatalogError, match="verify"):
        made.spark(MASTER)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT nothing FROM jobs", "nothing"),
        ("SELECT sum(log * 4) AS n FROM logs", "OVERFLOW"),
        ('SELECT * FROM parquet."/etc/passwd"', "no table"),
        ("SELECT * FROM read_csv('/etc/passwd')", "no table"),
        ("SELECT * FROM '/etc/passwd'", "no table"),
        ("SELECT * FROM other.jobs", "no table"),
        ("SELECT java_method('java.lang.System', 'exit', 1)", "java_method.*without --spark"),
        ("DROP VIEW jobs", "one SELECT"),
        ("SELECT 1; SELECT 2", "one SELECT"),
        ("SET x = 1", "one SELECT"),
        ("", "one SELECT"),
        ("SELECT (", "not a query"),
    ],
)
def test_what_is_no_question_to_the_catalog_is_refused(
    sql: str, said: str, small: tuple[Path, Spark]
) -> None:
    with pytest.raises(UsageError, match=said):
        small[1].answer(sql)


def pieces(text: str) -> list[str]:
    """Expressions, several a line."""
    return [each.strip() for line in text.strip().splitlines() for each in line.split(" | ")]


def plain(value: Any) -> Any:
    """Numbers by their value, and times by theirs, whatever type they have."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=value.tzinfo or timezone.utc).timestamp()
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return pytest.approx(float(value), rel=1e-12, nan_ok=True)
    return value


@pytest.mark.parametrize("where", ALIKE, ids=["numbers", "powers", "texts", "times", "groups"])
def test_both_engines_answer_alike(where: str, small: tuple[Path, Spark]) -> None:
    duckdb = catalog.open(small[0]).connect()
    expressions = pieces(ALIKE[where])
    selected = ", ".join(f"{each} AS e{number}" for number, each in enumerate(expressions))
    first = duckdb.sql(f"SELECT {selected} {where}").to_arrow_table()
    second = small[1].answer(f"SELECT {selected} {where}")
    for each, one, other in zip(expressions, first.columns, second.columns, strict=True):
        assert [plain(value) for value in one.to_pylist()] == [plain(value) for value in other.to_pylist()], (
            each
        )


@pytest.mark.parametrize("asked", QUERIES.strip().split("\n\n"))
def test_both_engines_answer_whole_queries_alike(asked: str, small: tuple[Path, Spark]) -> None:
    first = catalog.open(small[0]).connect().sql(asked).to_arrow_table()
    second = small[1].answer(asked)
    assert [list(row.values()) for row in first.to_pylist()] == [
        list(row.values()) for row in second.to_pylist()
    ]


@pytest.mark.parametrize("expression", pieces(OTHERWISE))
def test_what_engines_answer_otherwise_is_refused(expression: str) -> None:
    with pytest.raises(UsageError, match="without --spark"):
        one_select(f"SELECT {expression} AS x FROM jobs", ["jobs"])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT log FROM logs ASOF JOIN files ON x >= y",
        "SELECT log FROM logs POSITIONAL JOIN files",
        "SELECT DISTINCT ON (log) log FROM logs ORDER BY log, start",
        "SELECT log FROM logs USING SAMPLE 3",
        "SELECT log FROM logs LIMIT 10%",
        "SELECT COLUMNS('l.*') FROM logs",
        "SELECT * FROM logs PIVOT (sum(log) FOR complete IN (true))",
    ],
)
def test_queries_of_another_form_are_refused(sql: str) -> None:
    with pytest.raises(UsageError, match="without --spark"):
        one_select(sql, ["logs", "files"])


def test_what_cannot_be_said_alike_when_types_are_known_is_told(small: tuple[Path, Spark]) -> None:
    for sql in (
        "SELECT CAST(1e0 / key::INT AS VARCHAR) FROM (VALUES ('1')) v(key)",
        "SELECT 1 % 0",
        "SELECT 1 // 0",
    ):
        with pytest.raises(UsageError, match=r"Spark"):
            small[1].answer(sql)


def test_columns_are_called_by_the_question(small: tuple[Path, Spark]) -> None:
    asked = "SELECT sum(processes)::INT, max(log), complete FROM logs GROUP BY complete"
    assert small[1].answer(asked).column_names == ["CAST(sum(processes) AS INT)", "max(log)", "complete"]


def test_sums_without_room_are_null(small: tuple[Path, Spark]) -> None:
    found = small[1].ask(
        "SELECT TRY_CAST(sum(x) AS BIGINT) AS n FROM (VALUES (9223372036854775807), (1)) v(x)"
    )
    assert found.to_pylist() == [{"n": None}]


def test_translation() -> None:
    assert translated("SELECT epoch_us(a) FROM b") == "SELECT UNIX_MICROS(a) FROM b"
    assert translated("SELECT a / 3.0 AS x FROM b") == "SELECT CAST(a AS DOUBLE) / 3.0 AS x FROM b"
    assert "TRY_DIVIDE" in translated("SELECT a / b AS x FROM d")
    assert one_select("SELECT 'a\\b' AS x FROM jobs", ["jobs"]) == r"SELECT 'a\\b' AS x FROM jobs"


def ask(place: Path, master: str, work: Path, **changed: str) -> subprocess.CompletedProcess[str]:
    """A question by the command; work/cwd and work/tmp are where it may leave things."""
    for name in ("cwd", "tmp"):
        (work / name).mkdir()
    line = [sys.executable, "-P", "-m", "headrace", "catalog", "--at", str(place)]
    line += ["sql", "SELECT count(*) AS n FROM jobs", "--spark", master, "--json"]
    environment = os.environ | {"TMPDIR": str(work / "tmp")} | changed
    done = subprocess.run(
        line, cwd=work / "cwd", env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert [path for name in ("cwd", "tmp") for path in (work / name).rglob("*")] == []
    running = subprocess.run(["ps", "axww"], capture_output=True, text=True, check=True).stdout
    assert str(work) not in running
    return done


def test_the_command_leaves_nothing_and_says_nothing_else(tmp_path: Path) -> None:
    done = ask(write(tmp_path / "c", site()), "local[1]", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [{"n": 5}]


def test_a_master_that_is_none_is_told(tmp_path: Path) -> None:
    done = ask(write(tmp_path / "c", site()), "nonsense", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "'nonsense'" in done.stderr and "Master must" in done.stderr and "Traceback" not in done.stderr


def test_without_java_the_message_says_what_to_install(tmp_path: Path) -> None:
    done = ask(write(tmp_path / "c", site()), "local", tmp_path, JAVA_HOME="/nowhere")
    assert (done.returncode, done.stdout) == (5, "")
    assert "openjdk-17-jre-headless" in done.stderr


@pytest.mark.parametrize("lacking", ["ibis", "pyspark"])
def test_without_its_packages_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    monkeypatch.setitem(sys.modules, lacking, None)
    with pytest.raises(MissingPackageError, match="-m pip install 'ibis-framework"):
        catalog.create(tmp_path / "c").spark(MASTER)
