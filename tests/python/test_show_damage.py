"""What `headrace show` says of logs that are damaged, cut, or not complete yet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import headrace
from headrace.commands._show_header import header_lines
from headrace.commands._terminal import Terminal
from made_logs import LogMaker, simulation

GOLDEN = Path(__file__).parents[1] / "golden/job-v1.hr"


def cut(path: Path, size: int) -> tuple[str, dict[str, Any]]:
    path.write_bytes(GOLDEN.read_bytes()[:size])
    runs = [headrace("show", path, *options) for options in ([], ["--json"])]
    assert [run.returncode for run in runs] == [0, 0], runs
    return runs[0].stdout, json.loads(runs[1].stdout)


@pytest.mark.parametrize("size", [800, 4000, 6000])
def test_a_cut_log_is_never_called_complete(tmp_path: Path, size: int) -> None:
    text, facts = cut(tmp_path / "a.hr", size)
    assert "log DAMAGED (" in text
    assert "and its end may be missing): figures are incomplete" in text
    assert "log complete" not in text
    assert "last known exit status 137" in text
    assert facts["job"]["complete"].startswith("no: the log is damaged")
    assert facts["log"]["damaged_places"] == len(facts["damage"]) == 1
    assert facts["log"]["damaged_bytes"] == facts["damage"][0]["bytes"] > 0


def test_what_is_lost_is_not_zero(tmp_path: Path) -> None:
    text, _ = cut(tmp_path / "a.hr", 800)
    assert "0 processes" not in text
    assert "processes not known" in text
    assert "I/O of 0 files" not in text
    assert "No record of a file is left" in text
    text, _ = cut(tmp_path / "a.hr", 4000)
    assert "I/O of at least 8 files" in text
    assert "0 ns that the captured processes lived" not in text


def test_a_log_without_its_end_is_not_complete(tmp_path: Path) -> None:
    whole = headrace("show", GOLDEN, "--json").stdout
    assert json.loads(whole)["job"]["complete"] == "yes"
    found = []
    for size in range(5800, 6077, 3):
        facts = cut(tmp_path / "a.hr", size)[1]
        found.append((facts["log"]["closed"], facts["job"]["complete"]))
        if len(found) == 4:
            break
    assert all(not closed and complete.startswith("no: ") for closed, complete in found), found


def test_processes_still_running(tmp_path: Path) -> None:
    log = LogMaker(complete="no: 2 processes still running").write(tmp_path / "a.hr")
    text = headrace("show", log).stdout
    assert "2 processes still running; it completes by itself when they end; show it again then" in text
    collected = LogMaker(complete="no: 2 processes still running")
    del collected.job["command"]
    assert "collect again when they end" in headrace("show", collected.write(tmp_path / "b.hr")).stdout


def test_a_complete_log_says_what_it_lacks_once(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.process(2, captured=0, reason="statically linked")
    maker.add("gaps", process=2, what="process", amount=1, unit="processes", reason="statically linked")
    maker.add("gaps", process=1, what="io_uring", amount=1, unit="rings", reason="not seen")
    log = maker.write(tmp_path / "a.hr")
    rows = json.loads(headrace("show", log, "--json").stdout)["not_captured"]
    assert [row["what"] for row in rows] == ["io_uring", "processes not captured"]
    text = headrace("show", log).stdout
    assert "log complete, but not captured: 1 process and 1 other kind" in text
    assert "1 ring " in text


def test_excluded_paths_alone_are_no_gap(tmp_path: Path) -> None:
    assert "log complete\n" in headrace("show", GOLDEN).stdout
    assert "log complete, but" in headrace("show", simulation(tmp_path / "a.hr")).stdout


def test_a_run_whose_end_is_lost_did_not_take_0_ns() -> None:
    job = {
        "command": [],
        "host": "",
        "start_utc_ns": 1,
        "run_ns": 0,
        "process_ids": 0,
        "processes": 0,
        "run_at_least": False,
    }
    log = {"damaged_places": 1, "damaged_bytes": 9, "closed": False}
    facts = {"job": {**job, "exit_status": None}, "log": log, "selected_processes": [], "damage": [{}]}
    text = " ".join(header_lines(facts, Terminal(None, False, False)))
    assert "ran" not in text
    assert "run time not known" in text


@pytest.mark.parametrize("size", [4000, 5969])
def test_what_is_left_of_a_damaged_log_is_not_complete_either(tmp_path: Path, size: int) -> None:
    cut(tmp_path / "a.hr", size)
    done = headrace("convert", tmp_path / "a.hr", "-o", tmp_path / "b.hr")
    assert done.returncode == 0
    assert ("damaged at byte" in done.stderr) == (size == 4000)
    found = json.loads(headrace("show", tmp_path / "b.hr", "--json").stdout)
    assert found["damage"] == []
    assert found["job"]["complete"].startswith("no: the log it was converted from ")
    assert "not complete: the log it was converted from" in headrace("show", tmp_path / "b.hr").stdout


def test_losses_come_first_with_what_brings_them_back(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.process(2, captured=0, reason="setuid: the system loads no library into it")
    maker.add("gaps", process=1, what="call sites", amount=7, unit="files", reason="no room to keep them")
    maker.add("gaps", process=1, what="threads", amount=3, unit="attempts", reason="no memory was left")
    text = headrace("show", maker.write(tmp_path / "a.hr")).stdout
    lines = [line.strip() for line in text.splitlines()]
    titles = [lines.index(title) for title in ("Not captured", "Counted, but without detail")]
    assert titles[0] < next(i for i, line in enumerate(lines) if line.startswith("I/O of")) < titles[1]
    words = " ".join(text.split())
    assert "loads no library into it. To have it: run it as the user that it changes to" in words
    assert "no memory was left. To have it: give capture more memory: --memory" in words


def test_detail_that_is_missing_is_no_loss(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.add("gaps", process=1, what="call sites", amount=7, unit="files", reason="no room to keep them")
    log = maker.write(tmp_path / "a.hr")
    text = headrace("show", log).stdout
    assert "log complete\n" in text
    assert "Counted, but without detail" in text and "7 files" in text
    (gap,) = json.loads(headrace("show", log, "--json").stdout)["not_captured"]
    assert not gap["loss"] and gap["remedy"] is None
