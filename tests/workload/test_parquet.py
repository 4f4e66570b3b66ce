"""Figures as tables: of a run itself, and of several runs together."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest
from bench_tools import COMMAND, MPIS, Bench


def parquet(*words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "bench", "parquet", *words],
        capture_output=True,
        text=True,
        check=False,
        input=text,
        timeout=60,
    )


@pytest.mark.parametrize("mpi", ["", *MPIS])
def test_a_run_writes_its_table(tmp_path: Path, mpi: str) -> None:
    files = tmp_path / "files"
    files.mkdir()
    target = tmp_path / "a run.parquet"
    figures = Bench(files, mpi, ranks=2).figures(
        "ior", "--block", "1M", "--seed", str(2**64 - 1), "--parquet", str(target)
    )
    write, read, check = pyarrow.parquet.read_table(target).to_pylist()
    assert [write["phase"], read["phase"], check["phase"]] == ["write", "read", "check"]
    assert [write["measured"], check["measured"]] == [True, False]
    assert write["seed"] == 2**64 - 1 and write["pattern"] == "ior"
    assert write["mbps"] == figures["phases"][0]["mbps"]
    assert dict(write["figures"])["write_mbps"] == figures["write_mbps"]
    assert dict(write["calls"])["write"]["calls"] == figures["phases"][0]["calls"]["write"]["calls"]
    assert json.loads(write["settings"]) == figures["settings"]
    assert check["checked_bytes"] == figures["checks"][0]["checked_bytes"]


def test_several_runs_and_a_study(tmp_path: Path) -> None:
    runs = [Bench(tmp_path).figures("ior", "--block", "64K", "--transfer", size) for size in ("4K", "64K")]
    kept = [{"key": str(n), "outcome": "done", "figures": run} for n, run in enumerate(runs)]
    kept.append({"key": "x", "outcome": "too large", "why": "no"})
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept))
    (tmp_path / "run.json").write_text(json.dumps(runs[0], indent=2))
    target = str(tmp_path / "all.parquet")
    done = parquet(str(tmp_path / "run.json"), str(tmp_path / "runs.jsonl"), "-o", target)
    assert done.returncode == 0, done.stderr
    assert pyarrow.parquet.read_table(target)["run"].to_pylist() == [0] * 3 + [1] * 3 + [2] * 3
    assert pyarrow.parquet.read_table(target, columns=["bytes"])["bytes"].to_pylist() == [65536] * 9


def test_the_query_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "docs" / "bench.md").read_text()
    (query,) = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    Bench(tmp_path).run(
        "ior", "--block", "64K", "--transfer", "64K", "--parquet", str(tmp_path / "runs.parquet")
    )
    monkeypatch.chdir(tmp_path)
    rows = duckdb.sql(query).fetchall()
    assert {row[1] for row in rows} == {"write", "read", "check"}
    assert all(row[2] > 0 for row in rows)


def test_a_directory_that_is_not_there_is_refused_first(tmp_path: Path) -> None:
    done = Bench(tmp_path).run("ior", "--parquet", str(tmp_path / "none" / "a.parquet"))
    assert done.returncode == 2 and "--parquet" in done.stderr and "No such file" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    words = ["ior", "--block", "64K", "--transfer", "64K", "--parquet"]
    done = Bench(tmp_path).run(*words, "/dev/full")
    assert done.returncode == 3 and "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert Path("/dev/full").is_char_device()  # it was removed as a file that is there in part
    done = Bench(tmp_path).run(*words, str(tmp_path))  # known before
    assert done.returncode == 2 and "Is a directory" in done.stderr


WRONG = """nothing
[]
{}
{"phases": 3}
{"phases": [7]}
{"phases": [{}]}
{"phases": [{"name": "a", "bytes": "many"}]}
{"phases": [{"name": "a", "bytes": 99999999999999999999}]}
{"phases": [{"name": "a", "calls": 3}]}
{"phases": [{"name": "a", "calls": {"read": 3}}]}
{"phases": [], "checks": 3}
{"outcome": "done", "figures": 3}
{"phases": [], "x": NaN} {"phases":"""


@pytest.mark.parametrize("text", WRONG.splitlines())
def test_what_is_something_else_is_refused(tmp_path: Path, text: str) -> None:
    done = parquet("-", "-o", str(tmp_path / "a.parquet"), text=text)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "headrace: -: " in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_file_at_all(tmp_path: Path) -> None:
    assert "name files" in parquet("-o", str(tmp_path / "a.parquet")).stderr
    assert (
        "none.json: No such file"
        in parquet(str(tmp_path / "none.json"), "-o", str(tmp_path / "a.parquet")).stderr
    )
