"""How `headrace show` counts and words things."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import headrace as package
import pytest
from commands import headrace
from made_logs import MIB, LogMaker

GOLDEN = Path(__file__).parents[1] / "golden/job-v1.hr"
PARTIAL, ROLLUP = 1 << 8, "directory_rollup"


def shown(maker: LogMaker, path: Path, *options: str) -> str:
    run = headrace("show", maker.write(path), *options)
    assert run.returncode == 0, run.stderr
    return run.stdout


def facts(maker: LogMaker, path: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(shown(maker, path, "--json"))
    return result


def test_an_exec_is_no_new_process() -> None:
    text = headrace("show", GOLDEN).stdout
    assert "4 processes, 6 program images" in text
    tree = text[text.index("\nProcesses") :]
    assert tree.count("  3885 ") == 1
    assert "\u2514\u2500 ls dumps (after 1 exec)" in tree


def test_figures_of_all_images_are_summed(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1, pid=5, ended="exec", end_at_ns=500_000_000)
    maker.process(2, pid=5, parent=1, start_at_ns=500_000_000, arguments=b"last\0", exit_status=3)
    maker.process(3, pid=6, parent=1, arguments=b"child\0", start_at_ns=1)
    maker.process(4, pid=5, parent=3, arguments=b"same-pid-later\0", start_at_ns=2)
    for process in (1, 2):
        maker.file(process, "/a", reads=1, bytes_read=MIB, read_ns=1_000_000)
    text = shown(maker, tmp_path / "a.hr")
    (line,) = [line for line in text.splitlines() if line.endswith("last (after 1 exec)")]
    assert line.split()[:8] == ["5", "2", "s", "2", "ms", "2", "MiB", "0"]
    assert "exit 3" in line
    assert "  \u2514\u2500 child" in text
    assert "     \u2514\u2500 same-pid-later" in text
    assert facts(maker, tmp_path / "a.hr")["job"]["process_ids"] == 3


def test_directories_are_no_files_anywhere(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.add("mounts", mount=5, point="/", type="ext4", source="", options="")
    for process in (1, 2):
        maker.process(process)
        maker.file(process, "/d", kind="directory", mount=5, directory_reads=1)
        maker.file(process, "/d", mount=5, makes=1)
        maker.file(process, "/d/x", mount=5, opens=1)
    maker.file(1, "/r", kind=ROLLUP, mount=5, opens=7, folded_files=7, flags=PARTIAL)
    found = facts(maker, tmp_path / "a.hr")
    assert (found["totals"]["files"], found["totals"]["directories"]) == (8, 1)
    assert [(row["files"], row["directories"]) for row in found["mounts"]] == [(8, 1)]
    text = shown(maker, tmp_path / "a.hr")
    assert "I/O of 8 files, 1 directory" in text
    assert "7 files together for want of --memory" in text
    assert "in part" not in text
    assert "2 process images, 7 file records" in repr(package.open(tmp_path / "a.hr"))


def test_exact_sizes_and_ends_of_files(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    record = maker.file(1, "/a", reads=4, bytes_read=3 * 4097, maps=1, mapped_bytes=MIB)
    maker.add("common", record=record, direction="read", what="size", value=4097, count=3, exact=1)
    maker.add("common", record=record, direction="read", what="size", value=0, count=1, exact=1)
    maker.add("sizes", record=record, direction="read", bucket=13, count=3)
    maker.add("sizes", record=record, direction="read", bucket=0, count=1)
    text = shown(maker, tmp_path / "a.hr")
    assert "reads: 4,097 B" in text
    assert "4,097 B (" not in text
    assert "0 B (end of file) " in text
    assert "mapped 1 MiB" in text
    maker.file(1, "/b", reads=1, bytes_read=1)  # now the one small read may have been this one
    assert "\u2264 1 B (end of file included)" in shown(maker, tmp_path / "a.hr")


def test_what_bytes_over_time_include(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.add("series", process=1, direction="read", start_at_ns=0, width_ns=1 << 20, bytes=9)
    assert "Bytes over time\n" in shown(maker, tmp_path / "a.hr")
    maker.file(1, "<pipe>", kind="pipe", reads=1, bytes_read=9)
    maker.file(1, "/usr/", kind="excluded_rollup", reads=1, bytes_read=9)
    text = shown(maker, tmp_path / "a.hr")
    assert "Bytes over time of all descriptors, these included: excluded paths, pipes" in text
    assert "1 call, 9 B read, 0 B written, not timed. Excluded are system directories" in text


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_no_line_is_wider_than_asked_for(tmp_path: Path, columns: int) -> None:
    maker = LogMaker(complete="no: " + "many words " * 20, host="h" * 90)
    maker.process(1, captured=0, reason="long reason " * 20, arguments=b"x" * 300 + b"\0")
    maker.add("gaps", process=1, what="w" * 30, amount=1, unit="calls", reason="a long reason " * 20)
    record = maker.file(1, "/deep" * 60, reads=10**15, bytes_read=10**15, final_path="/new" * 70)
    maker.add("common", record=record, direction="read", what="size", value=4097, count=3, exact=1)
    log = maker.write(tmp_path / "a.hr")
    for command in (["show", log], ["show", log, "--by", "process"], ["show", GOLDEN], ["doctor"]):
        lines = headrace(*command, COLUMNS=str(columns)).stdout.splitlines()
        assert max(map(len, lines)) <= columns, max(lines, key=len)
    text = " ".join(headrace("show", log, COLUMNS=str(columns)).stdout.split())
    assert "many words many words" in text
