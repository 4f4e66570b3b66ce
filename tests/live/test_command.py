"""`headrace show` and `headrace report` with a catalog, on made and on real jobs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from live_tools import HEADRACE, make_log
from made_catalog import MIB, START, hours, job, sample, write


def run(*words: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    command = [HEADRACE, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    tables = {
        "samples": [sample(minute, 0, 60 * MIB) for minute in range(60)],
        "devices": [{"host": "*", "device": "*", "server": None, "file_system": "lus"}],
        "scheduler_jobs": [job("78", start=hours(0), end=hours(0.25), nodes=8)],
    }
    return write(tmp_path / "catalog", tables)


def test_in_words(tmp_path: Path, catalog: Path) -> None:
    log = make_log(tmp_path / "own.hr", START, 1800, 60 * MIB)
    text = run("show", log, "--catalog", catalog).stdout
    meanwhile = text[text.index("Meanwhile") :]
    assert "While this job ran, lus moved 1.76 GiB, 1 MiB/s on average" in meanwhile
    assert f"  {'━' * 12}{'·' * 12}       8          \u2013  78, sky" in meanwhile
    assert "Meanwhile" not in run("show", log).stdout
    assert all(len(line) <= 100 for line in meanwhile.splitlines())


def test_as_json(tmp_path: Path, catalog: Path) -> None:
    log = make_log(tmp_path / "own.hr", START, 1800, 60 * MIB)
    shown = json.loads(run("show", log, "--catalog", catalog, "--json").stdout)
    reported = json.loads(run("report", log, "--catalog", catalog, "--json").stdout)
    assert shown["meanwhile"] == reported["meanwhile"]
    assert shown["meanwhile"]["jobs"][0]["job"] == "78"


def test_mistakes_are_told(tmp_path: Path, catalog: Path) -> None:
    log = make_log(tmp_path / "own.hr", START, 60)
    for command in ("show", "report"):
        done = run(command, log, "--catalog", tmp_path / "none", status=3)
        assert "there is no catalog" in done.stderr
    assert "without --live" in run("show", "--live", "--catalog", catalog, status=2).stderr


def test_a_real_job_under_a_real_monitor(tmp_path: Path) -> None:
    """The monitor samples this machine's devices while a program writes."""
    log, store, place = tmp_path / "job.hr", tmp_path / "store", tmp_path / "catalog"
    words = [HEADRACE, "monitor", "--at", store, "--interval", "0.2", "--include", "*"]
    monitor = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    program = (
        "import time, pathlib\n"
        f"while not list(pathlib.Path({str(store)!r}).rglob('*.tail.hr')): time.sleep(0.05)\n"
        "time.sleep(1)\n"
        f"pathlib.Path({str(tmp_path / 'data')!r}).write_bytes(bytes(1 << 20))\n"
        "time.sleep(1)\n"
    )
    try:
        run("run", "-q", "-o", log, "--", sys.executable, "-c", program)
    finally:
        monitor.terminate()
        monitor.communicate(timeout=30)
    run("catalog", "--at", place, "add", store, log)
    found = json.loads(run("show", log, "--catalog", place, "--json").stdout)["meanwhile"]
    assert found["job"]["in_catalog"] and found["job"]["written_bytes"] >= 1 << 20
    (system,) = found["file_systems"]
    assert system["name"] is None and system["devices"] >= 1 and system["rate"] is not None
    assert sum(value or 0 for value in found["picture"]["own"]["written"]) >= 1 << 20, (
        "rounding loses nothing"
    )
    assert not found["picture"]["own"]["is_mean"]
    assert found["interval_ns"] == 200_000_000
    run("report", log, "--catalog", place)
    assert (tmp_path / "job.html").stat().st_size > 100_000
