"""`headrace diff` on logs of known content: the facts, the matching of files, and how it looks."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from commands import headrace
from made_logs import MIB, START_NS, LogMaker, large, simulation

HOSTILE = [
    "/esc/\x1b[31mred\x1b]0;title\x07",
    "/new\nline\r",
    "/rtl/\u202egnp.exe",
    b"/invalid/\xff\xfe",
    "/script/<script>alert(1)</script>",
    "/long/" + "x" * 4000,
    "",
]
MIN64 = 1 << 64


def facts(*arguments: str | Path) -> dict[str, Any]:
    run = headrace("diff", "--json", *arguments)
    assert run.returncode == 0, run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def totals(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in found["totals"]}


def writer(
    path: Path,
    base: str = "/run",
    size: int = 512,
    calls: int = 2048,
    ns: int = 9_000_000,
    files: int = 2,
    **job: str,
) -> Path:
    """A job that writes files below its working directory, and reads one input that all runs share."""
    log = LogMaker(working_directory=base, **job)
    log.process(1, working_directory=base)
    shared = log.file(1, "/input/mesh", reads=1, bytes_read=MIB, read_ns=1_000_000, opens=1)
    log.add("sizes", record=shared, direction="read", bucket=20, count=1)
    for number in range(files):
        record = log.file(
            1, f"{base}/out.{number}", opens=1, writes=calls, bytes_written=calls * size, write_ns=ns,
            writes_consecutive=calls - 1, writes_unaligned_file=calls - 1 if size % 4096 else 0,
        )  # fmt: skip
        log.add("sizes", record=record, direction="write", bucket=(size - 1).bit_length(), count=calls)
        log.add("common", record=record, direction="write", what="size", value=size, count=calls, exact=1)
    log.add(
        "profiles", process=1, function="write", calls=files * calls, errors=0, bytes=files * calls * size,
        time_ns=files * ns, max_ns=ns,
    )  # fmt: skip
    log.add("profiles", process=1, function="read", calls=1, errors=0, bytes=MIB, time_ns=1_000_000, max_ns=9)
    return log.write(path)


def test_what_changed_in_the_whole_run(tmp_path: Path) -> None:
    end = str(START_NS + 1_000_000_000)
    found = facts(
        writer(tmp_path / "a.hr"),
        writer(tmp_path / "b.hr", size=8192, calls=128, ns=2_000_000, files=3, end_utc_ns=end),
    )
    rows = totals(found)
    assert rows["run_ns"]["values"] == [2_000_000_000, 1_000_000_000]
    assert rows["run_ns"]["changes"] == [
        None, {"amount": -1_000_000_000, "relative": -0.5, "beyond_spread": None}
    ]  # fmt: skip
    assert rows["io_ns"]["values"] == [19_000_000, 7_000_000]
    assert rows["write.calls"]["values"] == [4096, 384]
    assert rows["write.bytes"]["values"] == [2 * MIB, 3 * MIB]
    assert rows["read.bytes"]["changes"][1]["amount"] == 0
    assert rows["files"]["values"] == [3, 4]
    assert not found["same"]


def test_shares_of_the_change_add_up(tmp_path: Path) -> None:
    found = facts(
        writer(tmp_path / "a.hr"), writer(tmp_path / "b.hr", size=8192, calls=128, ns=2_000_000, files=3)
    )
    files = found["files"]["rows"]
    assert sum(row["changes"][1]["share"] for row in files) == pytest.approx(1)
    assert [row["path"] for row in files] == ["/run/out.0", "/run/out.1", "/run/out.2"]
    assert files[0]["changes"][1]["time_ns"] == -7_000_000
    assert files[0]["changes"][1]["calls"] == -1920
    assert files[2]["sides"][0] is None
    assert files[2]["matched"] is None
    assert [row["function"] for row in found["functions"]] == ["write", "read"]
    assert found["functions"][0]["changes"][1]["share"] == 1
    assert found["functions"][0]["sides"][1]["calls"] == 384


def test_shares_are_missing_where_changes_cancel_out(tmp_path: Path) -> None:
    def job(path: Path, first: int, second: int) -> Path:
        log = LogMaker()
        log.process(1)
        log.file(1, "/a", writes=1, write_ns=first)
        log.file(1, "/b", writes=1, write_ns=second)
        return log.write(path)

    found = facts(job(tmp_path / "a.hr", 1000, 9000), job(tmp_path / "b.hr", 9000, 1001), "--files", "1")
    assert [row["changes"][1]["share"] for row in found["files"]["rows"]] == [None]
    text = headrace("diff", tmp_path / "a.hr", tmp_path / "b.hr").stdout
    assert re.search(r"\+8 µs +\u2013 +1 µs → 9 µs", text)


def test_sizes_and_access_that_changed(tmp_path: Path) -> None:
    a, b = writer(tmp_path / "a.hr"), writer(tmp_path / "b.hr", size=8192, calls=128)
    found = facts(a, b)
    assert found["sizes"]["write"] == [
        {"over": 256, "to": 512, "operations": [4096, 0]},
        {"over": 4096, "to": 8192, "operations": [0, 256]},
    ]
    text = headrace("diff", a, b).stdout
    assert "writes of 512 B → 8 KiB" in text
    assert "writes unaligned > 99 % → 0.0 %" in text
    assert "Sizes of writes" in text
    assert "Sizes of reads" not in text  # they are the same


def test_the_same_log_twice_shows_no_difference(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    found = facts(log, log)
    assert found["same"]
    assert found["files"]["rows"] == []
    assert not any(change["amount"] for row in found["totals"] for change in row["changes"][1:])
    text = headrace("diff", log, log).stdout
    assert "No difference" in text
    assert "What changed" not in text
    assert "proves nothing" not in text


def test_files_are_matched_from_the_working_directories(tmp_path: Path) -> None:
    a, b = writer(tmp_path / "a.hr", base="/scratch/run1"), writer(tmp_path / "b.hr", base="/scratch/run2")
    found = facts(a, b)
    counts = found["files"]["matched"][1]
    assert (counts["by_path"], counts["by_directory"]) == (1, 2)
    assert (counts["only_in_base"], counts["only_in_side"]) == (0, 0)
    assert found["same"]
    slower = writer(tmp_path / "c.hr", base="/scratch/run2", ns=10_000_000)
    row = facts(a, slower)["files"]["rows"][0]
    assert (row["path"], row["matched"]) == ("/scratch/run1/out.0", "directory")
    assert row["sides"][1]["name"] == "/scratch/run2/out.0"
    assert "2 by their names from /scratch/run1 and /scratch/run2" in headrace(
        "diff", a, slower
    ).stdout.replace("\n    ", " ")


def test_a_path_that_both_have_is_never_matched_otherwise(tmp_path: Path) -> None:
    def job(path: Path, base: str, *names: str) -> Path:
        log = LogMaker(working_directory=base)
        log.process(1, working_directory=base)
        for name in names:
            log.file(1, name, writes=1, write_ns=100)
        return log.write(path)

    # /one/x is in both by its path; /two/x of the second run must not take its place.
    found = facts(
        job(tmp_path / "a.hr", "/one", "/one/x"), job(tmp_path / "b.hr", "/two", "/two/x", "/one/x")
    )
    counts = found["files"]["matched"][1]
    assert (counts["by_path"], counts["by_directory"], counts["only_in_side"]) == (1, 0, 1)
    assert found["files"]["rows"][0]["path"] == "/two/x"
    # Names that are only alike, and files of another kind, stay apart.
    found = facts(job(tmp_path / "a.hr", "/one", "/o.123"), job(tmp_path / "b.hr", "/two", "/o.124"))
    assert found["files"]["matched"][1]["only_in_base"] == found["files"]["matched"][1]["only_in_side"] == 1
    # A root directory as working directory makes nothing the same.
    found = facts(job(tmp_path / "a.hr", "/", "/x"), job(tmp_path / "b.hr", "/two", "/two/x"))
    assert found["files"]["matched"][1]["by_directory"] == 0


def test_three_runs_have_counts_of_their_own(tmp_path: Path) -> None:
    a = writer(tmp_path / "a.hr", base="/scratch/run1")
    b = writer(tmp_path / "b.hr", base="/scratch/run1", ns=8_000_000)
    c = writer(tmp_path / "c.hr", base="/scratch/run3", ns=7_000_000)
    found = facts(a, b, c)
    counts = found["files"]["matched"]
    assert counts[0] is None
    assert (counts[1]["by_path"], counts[1]["by_directory"]) == (3, 0)
    assert (counts[2]["by_path"], counts[2]["by_directory"]) == (1, 2)
    assert totals(found)["write.time_ns"]["values"] == [18_000_000, 16_000_000, 14_000_000]
    row = found["files"]["rows"][0]
    assert [change and change["time_ns"] for change in row["changes"]] == [None, -1_000_000, -2_000_000]
    for line in headrace("diff", a, b, c, COLUMNS="100").stdout.splitlines():
        assert len(line) <= 100


def repeated(tmp_path: Path, name: str, times: list[int]) -> list[Path]:
    return [writer(tmp_path / f"{name}{number}.hr", ns=ns) for number, ns in enumerate(times)]


def test_repetitions_have_means_and_ranges(tmp_path: Path) -> None:
    before = repeated(tmp_path, "a", [9_000_000, 10_000_000, 11_000_000])
    after = repeated(tmp_path, "b", [4_000_000, 5_000_000, 6_000_000])
    found = facts(*before, "vs", *after)
    row = totals(found)["write.time_ns"]
    assert row["values"] == [20_000_000, 10_000_000]
    assert (row["least"], row["greatest"]) == ([18_000_000, 8_000_000], [22_000_000, 12_000_000])
    assert row["changes"][1]["beyond_spread"] is True
    assert totals(found)["run_ns"]["changes"][1]["beyond_spread"] is False
    assert found["chance_apart"] == [None, pytest.approx(0.1)]
    assert found["files"]["rows"][0]["sides"][1] == found["files"]["rows"][0]["sides"][1] | {
        "present": 3, "time_ns": 5_000_000
    }  # fmt: skip
    text = headrace("diff", *before, "vs", *after).stdout
    assert "20 ms (18 ms…22 ms)" in text
    assert "10 % of cases (3 and 3 runs)" in text.replace("\n", " ")
    assert "proves nothing" not in text


def test_overlapping_ranges_are_called_chance(tmp_path: Path) -> None:
    def run(name: str, seconds: float) -> Path:
        return writer(tmp_path / name, end_utc_ns=str(START_NS + round(seconds * 1e9)))

    before = [run("a1.hr", 1.0), run("a2.hr", 2.0)]
    text = headrace("diff", *before, "vs", run("b1.hr", 1.5), run("b2.hr", 2.5)).stdout
    assert "ranges overlap: that may be chance" in text.replace("\n    ", " ")


def test_one_pair_says_that_it_proves_nothing(tmp_path: Path) -> None:
    a, b = writer(tmp_path / "a.hr"), writer(tmp_path / "b.hr", ns=8_000_000)
    assert "A single run a side proves nothing about times" in headrace("diff", a, b).stdout


def test_unequal_runs_are_called_so(tmp_path: Path) -> None:
    a = writer(tmp_path / "a.hr", exit_status="3", complete="no: 1 process still running")
    b = writer(tmp_path / "b.hr", host="node2", headrace_version="0.2.0", command=json.dumps(["./other"]))
    found = facts(a, b)
    assert [row["what"] for row in found["unequal"]] == ["incomplete", "failed", "command", "host", "version"]
    text = headrace("diff", a, b).stdout
    for part in (
        "the log of A is not complete: 1 process still running",
        "A ended with status 3",
        "hosts differ: A: node1; B: node2",
        "commands differ",
        "./other",
        "./simulate --steps 10",
    ):
        assert part in text, part
    found = facts(simulation(tmp_path / "c.hr"), simulation(tmp_path / "d.hr", processes=3))
    kinds = {row["what"]: row["text"] for row in found["unequal"]}
    assert kinds["processes"] == "numbers of processes differ: A: 3; B: 4"
    assert kinds["not captured"].startswith("B has 1 of 4") or "A has 1 of 3" in kinds["not captured"]


def test_a_damaged_log_is_compared_and_called_damaged(tmp_path: Path) -> None:
    a, b = simulation(tmp_path / "a.hr"), simulation(tmp_path / "b.hr")
    data = bytearray(b.read_bytes())
    data[data.index(b"sizes\0") + 200] ^= 0xFF
    b.write_bytes(data)
    found = facts(a, b)
    assert "damaged" in [row["what"] for row in found["unequal"]]
    assert not found["same"]
    assert "the log of B is damaged" in headrace("diff", a, b).stdout


def test_empty_jobs_and_logs_without_tables(tmp_path: Path) -> None:
    nothing = LogMaker().write(tmp_path / "nothing.hr")
    log = LogMaker(start_utc_ns="0", end_utc_ns="0")
    log.process(1, start_at_ns=0, end_at_ns=0)
    still = log.write(tmp_path / "still.hr")
    assert facts(nothing, nothing)["same"]
    for other in (still, simulation(tmp_path / "a.hr")):
        for pair in ((nothing, other), (other, nothing)):
            assert not facts(*pair)["same"]
            assert headrace("diff", *pair).returncode == 0


def test_negative_durations_and_clock_steps(tmp_path: Path) -> None:
    def job(path: Path, ns: int, **times: str) -> Path:
        log = LogMaker(**times)
        log.process(1, start_at_ns=5_000_000_000, end_at_ns=1_000_000_000)
        record = log.file(1, "/x", writes=3, write_ns=ns % MIN64, bytes_written=10)
        log.add("sizes", record=record, direction="write", bucket=3, count=3)
        return log.write(path)

    back = job(tmp_path / "a.hr", -5_000, start_utc_ns=str(START_NS), end_utc_ns=str(START_NS - 10**9))
    forth = job(tmp_path / "b.hr", 7_000)
    row = totals(facts(back, forth))["write.time_ns"]
    assert row["values"] == [-5_000, 7_000]
    assert row["changes"][1] == {"amount": 12_000, "relative": None, "beyond_spread": None}
    text = headrace("diff", back, forth).stdout
    assert "\u22125 µs" in text
    assert "+12 µs" in text


def test_hostile_names_neither_break_nor_reach_the_terminal(tmp_path: Path) -> None:
    def job(path: Path, ns: int) -> Path:
        log = LogMaker(
            command=json.dumps(["./\x1b[31m", "\u202e"]), host="\x1b]0;x\x07", working_directory="/new\nline"
        )
        log.process(1)
        for number, name in enumerate(HOSTILE):
            log.file(1, name, writes=1, write_ns=ns * (number + 1), final_path=name)
        log.add(
            "profiles", process=1, function="\x1bevil\n", calls=1, errors=0, bytes=ns, time_ns=ns, max_ns=1
        )
        return log.write(path)

    a, b = job(tmp_path / "a.hr", 1000), job(tmp_path / "b.hr", 3000)
    assert len(facts(a, b)["files"]["rows"]) == len(HOSTILE)
    for columns in ("60", "200"):
        text = headrace("diff", a, b, COLUMNS=columns).stdout
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
        assert all(len(line) <= int(columns) for line in text.splitlines())


@pytest.mark.parametrize("columns", ["40", "80", "120", "200"])
def test_lines_fit_the_terminal(tmp_path: Path, columns: str) -> None:
    a, b = simulation(tmp_path / "a.hr"), simulation(tmp_path / "b.hr", checkpoints=5)
    for arguments in ((a, b), (a, b, a), (a, a, "vs", b, b), ("--by", "directory", a, b)):
        run = headrace("diff", *arguments, COLUMNS=columns)
        assert run.returncode == 0
        assert all(len(line) <= int(columns) for line in run.stdout.splitlines())


def test_ascii_terminals_get_ascii(tmp_path: Path) -> None:
    a, b = writer(tmp_path / "a.hr"), writer(tmp_path / "b.hr", size=8192, calls=100)
    run = headrace("diff", a, b, PYTHONIOENCODING="ascii")
    assert run.returncode == 0
    assert run.stdout.isascii()
    assert "B - A" in run.stdout


def test_by_directory_and_by_other_orders(tmp_path: Path) -> None:
    a, b = simulation(tmp_path / "a.hr"), simulation(tmp_path / "b.hr", checkpoints=5)
    found = facts(a, b, "--by", "directory")
    assert [row["path"] for row in found["files"]["rows"]] == ["/scratch/out"]
    assert found["files"]["rows"][0]["changes"][1]["bytes"] == 4 * 51200
    names = [row["path"] for row in facts(a, b, "--sort", "path")["files"]["rows"]]
    assert names == sorted(names)
    for sort in ("bytes", "calls"):
        rows = facts(a, b, "--sort", sort, "--files", "3")["files"]["rows"]
        changes = [abs(row["changes"][1][sort]) for row in rows]
        assert len(changes) == 3
        assert changes == sorted(changes, reverse=True)


def test_wrong_usage_and_wrong_files(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    foreign = tmp_path / "foreign"
    foreign.write_text("no log")
    for arguments in ([], [log], [log, "vs"], ["vs", log], [log, "vs", "vs", log]):
        run = headrace("diff", *arguments)
        assert run.returncode == 2
        assert "headrace diff before.hr after.hr" in run.stderr
    assert headrace("diff", log, foreign).returncode == 3
    assert headrace("diff", log, tmp_path / "missing.hr").returncode == 3


def test_a_hundred_thousand_files(tmp_path: Path) -> None:
    """Bounds that a machine under load keeps; the goal is a few seconds and a few hundred MB."""
    a, b = large(tmp_path / "a.hr"), large(tmp_path / "b.hr", seed=2)
    start = time.perf_counter()
    found = facts(a, b)
    assert time.perf_counter() - start < 60
    assert found["files"]["matched"][1]["by_path"] == 100_000
    assert found["files"]["rows_in_all"] > 90_000
