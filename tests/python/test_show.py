"""`headrace show`: the facts, and how they look."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import headrace
from made_logs import MIB, LogMaker, large, parallel, simulation

HOSTILE = [
    "/esc/\x1b[31mred\x1b]0;title\x07",
    "/new\nline\r\x08",
    "/rtl/\u202egnp.exe",
    "/hebrew/\u05e9\u05dc\u05d5\u05dd",
    b"/invalid/\xff\xfe\x80",
    "/script/<script>alert(1)</script>",
    "/quote/'\"`$(reboot)",
    "/long/" + "x" * 4000,
    "/c1/\x9b31m",
    "/zero\u200bwidth",
    "",
]


def facts(log: Path, *options: str) -> dict[str, Any]:
    run = headrace("show", log, "--json", *options)
    assert run.returncode == 0, run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def test_the_facts_of_a_small_simulation(tmp_path: Path) -> None:
    found = facts(simulation(tmp_path / "a.hr"))
    totals = found["totals"]
    assert totals["files"] == 7
    assert (totals["read"]["calls"], totals["read"]["bytes"]) == (8, 8 * MIB)
    assert (totals["write"]["calls"], totals["write"]["bytes"]) == (600, 6 * 51200)
    assert totals["metadata"]["calls"] == 2 * (2 + 3 * 3)
    assert totals["io_ns"] == 2 * (8_000_000 + 50_000 + 3 * 2_100_000)
    assert totals["process_ns"] == 4_000_000_000
    assert totals["io_share_of_process_time"] == pytest.approx(totals["io_ns"] / 4e9)
    assert found["other"][0]["kind"] == "stream"
    first = found["rows"][0]
    assert first["path"] == "/scratch/in/mesh.h5"
    assert first["processes"] == 2
    assert first["access"]["read"]["common_sizes"][0] == {"bytes": MIB, "operations": 8, "exact": True}
    assert first["access"]["read"]["pattern"] == "forward"
    second = found["rows"][1]
    assert second["access"]["write"]["pattern"] == "consecutive"
    assert second["flags"] == ["created", "renamed"]
    assert second["final_path"].endswith(".h5")
    assert found["sizes"]["write"] == [{"over": 256, "to": 512, "operations": 600}]
    assert sum(found["bandwidth"]["bytes_read"]) == pytest.approx(8 * MIB, rel=1e-6)
    assert [(row["pid"], row["depth"]) for row in found["processes"]] == [(1001, 0), (1002, 1), (1099, 1)]
    assert [row["point"] for row in found["mounts"]] == ["/scratch"]
    assert [row["what"] for row in found["not_captured"]] == ["io_uring rings", "processes not captured"]
    assert found["damage"] == []


def test_text_has_what_a_first_glance_needs(tmp_path: Path) -> None:
    text = headrace("show", simulation(tmp_path / "a.hr")).stdout
    for part in (
        "./simulate --steps 10",
        "on node1, 2026-",
        "ran 2 s",
        "3 processes, exit status 0",
        "log complete, but not captured: 1 process and 1 other kind",
        "0.7 % of the 4 s",
        "mesh.h5",
        "renamed to step0.1.h5",
        "512 B, consecutive, 88 % unaligned",
        "256 B < … ≤ 512 B",
        "peak 16 MiB/s",
        "└─ [1] simulate",
        "not captured: statically linked",
        "lustre",
    ):
        assert part in text, part
    assert "\x1b" not in text


def test_sorting_and_grouping(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    by_path = facts(log, "--sort", "path", "--files", "2")
    assert [row["path"] for row in by_path["rows"]] == ["/scratch/in/mesh.h5", "/scratch/out/step0.1.tmp"]
    assert by_path["rows_in_all"] == 7
    assert facts(log, "--sort", "calls")["rows"][0]["write"]["calls"] == 100
    directories = facts(log, "--by", "directory", "--sort", "bytes")["rows"]
    assert [row["path"] for row in directories] == ["/scratch/in", "/scratch/out"]
    assert directories[1]["files"] == 6
    processes = facts(log, "--by", "process")["rows"]
    assert {row["pid"] for row in processes} == {1001, 1002}
    for options in (["--by", "directory"], ["--by", "process"]):
        assert headrace("show", log, *options).returncode == 0


def test_counts_of_files_agree(tmp_path: Path) -> None:
    """The table has what the sums count; a path that was used as a directory is one directory."""
    maker = LogMaker()
    maker.process(1)
    for number in range(12):
        maker.file(1, f"/data/{number}", writes=1, bytes_written=5, write_ns=7)
    for path in ("/data", "/data/sub"):
        maker.file(1, path, "directory", opens=1, meta_ns=3)
    maker.file(1, "/data/sub", makes=1, meta_ns=2)
    maker.file(1, "/data/small", "directory_rollup", writes=9, folded_files=4, write_ns=90)
    log = maker.write(tmp_path / "a.hr")
    found = facts(log)
    assert (found["totals"]["files"], found["totals"]["directories"]) == (16, 2)
    assert found["rows_in_all"] == 15
    assert found["rows_of"] == {"files": 12, "directories": 2, "rollups": 1}
    assert facts(log, "--process", "1001")["rows_of"] == found["rows_of"]
    (both,) = [row for row in facts(log, "--files", "99")["rows"] if row["path"] == "/data/sub"]
    assert (both["kind"], both["metadata"]["time_ns"]) == ("directory", 5)
    text = headrace("show", log).stdout
    assert "I/O of 16 files, 2 directories" in text
    assert "(10 of 15: 12 files, 2 directories, 1 sum of small files; --files N shows more)" in text
    assert {row["path"]: (row["files"], row["directories"]) for row in found["directories"]} == {
        "/": (0, 1),
        "/data": (12, 1),
        "/data/small": (4, 0),
    }
    assert sum(row["files"] for row in facts(log, "--by", "directory")["rows"]) == 16
    changed = json.loads(headrace("diff", log, maker.write(tmp_path / "b.hr"), "--json").stdout)
    assert changed["files"]["rows_of"] == {"files": 0, "directories": 0, "rollups": 0}


def test_one_process_alone(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    one = facts(log, "--process", "1002")
    assert one["totals"]["read"]["bytes"] == 4 * MIB
    assert one["totals"]["process_ns"] == 2_000_000_000
    assert sum(one["bandwidth"]["bytes_read"]) == pytest.approx(4 * MIB, rel=1e-6)
    assert facts(log, "--process", one["selected_processes"][0])["totals"] == one["totals"]
    missing = headrace("show", log, "--process", "4")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "no process 4" in missing.stderr


def test_hostile_names_never_reach_the_terminal(tmp_path: Path) -> None:
    maker = LogMaker(command=json.dumps(["./a", "\x1b[2J"]), host="\x1b[31mhost", complete="no: \x1b[0m")
    maker.add("mounts", mount=1, point="/\x1b[1m", type="\u202etype", source="\n", options="")
    for number, name in enumerate(HOSTILE):
        data = name if isinstance(name, bytes) else name.encode("utf-8", "surrogatepass")
        maker.process(
            number + 1, executable=name, arguments=data + b"\0", reason="\x1b[5m", captured=number % 2
        )
        maker.file(number + 1, name, opens=1, writes=1, bytes_written=1, final_path="/\x1b[0m" + "y", mount=1)
    maker.add("gaps", process=1, what="\x1b[1m", amount=1, unit="\x07", reason="\u202e")
    log = maker.write(tmp_path / "a.hr")
    for options in ([], ["--by", "process"], ["--by", "directory"], ["--files", "100"]):
        run = headrace("show", log, *options)
        assert run.returncode == 0, run.stderr
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\u0590-\u05ff]", run.stdout)
        assert "\\x1b[31mred" in run.stdout or options
        on_terminal = terminal_output(log, *options)
        assert not re.search(
            "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", re.sub("\x1b\\[[0-9]*m", "", on_terminal)
        )
    names = {row["path"] for row in facts(log, "--files", "100")["rows"]}
    assert HOSTILE[0] in names
    assert "/invalid/\\xff\\xfe\\x80" in names


def terminal_output(log: Path, *options: str, columns: int = 80, **environment: str) -> str:
    """What arrives on a terminal of so many columns."""
    reading, writing = pty.openpty()
    variables = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns), "LC_ALL": "C.UTF-8", **environment}
    command = [sys.executable, "-m", "headrace", "show", str(log), *options]
    with subprocess.Popen(command, stdout=writing, env=variables) as process:
        os.close(writing)
        data = b""
        while True:
            try:
                part = os.read(reading, 65536)
            except OSError:  # the other end of a terminal closed
                break
            if not part:
                break
            data += part
    os.close(reading)
    assert process.returncode == 0
    return data.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_shortened_names(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.file(1, "/scratch/" + "deep/" * 40 + "file.dat", opens=1)
    log = maker.write(tmp_path / "a.hr")
    coloured = terminal_output(log)
    assert "\x1b[1m" in coloured
    assert "…" in coloured
    assert "file.dat" in coloured
    plain = terminal_output(log, NO_COLOR="1")
    assert "\x1b" not in plain
    assert max(len(line) for line in plain.splitlines() if "file.dat" in line) <= 80
    assert "\x1b" not in terminal_output(log, TERM="dumb")
    assert "deep/" * 40 in headrace("show", log).stdout  # a pipe gets whole names


def test_output_without_unicode(tmp_path: Path) -> None:
    run = headrace("show", simulation(tmp_path / "a.hr"), PYTHONIOENCODING="ascii")
    assert run.returncode == 0
    assert run.stdout.isascii()
    assert "#" * 10 in run.stdout


def test_empty_jobs_and_jobs_without_files(tmp_path: Path) -> None:
    empty = LogMaker()
    empty.job = {}
    for maker, process in ((empty, False), (LogMaker(), True)):
        if process:
            maker.process(1, end_at_ns=0, ended="running", exit_status=-1)
        log = maker.write(tmp_path / "a.hr")
        run = headrace("show", log)
        assert run.returncode == 0, run.stderr
        assert "I/O of 0 files" in run.stdout
        assert facts(log)["rows"] == []


def test_impossible_figures_are_shown_and_not_fatal(tmp_path: Path) -> None:
    """End before start, processes that are their own ancestors, times beyond any calendar."""
    most = (1 << 64) - 1
    maker = LogMaker(start_utc_ns=str(10**30), end_utc_ns="1", exit_status="many", command="7")
    maker.process(1, parent=2, start_at_ns=most, end_at_ns=1)
    maker.process(2, parent=1, end_at_ns=most)
    maker.process(3, parent=3)
    record = maker.file(
        1, "/a", reads=most, bytes_read=most, read_ns=most, reads_backward=most, read_max_ns=most
    )
    maker.add("sizes", record=record, direction="read", bucket=most, count=most)
    maker.add("sizes", record=record, direction="sideways", bucket=1, count=1)
    maker.add("series", process=1, direction="read", start_at_ns=most, width_ns=most, bytes=most)
    log = maker.write(tmp_path / "a.hr")
    assert headrace("show", log).returncode == 0
    found = facts(log)
    assert sorted(row["pid"] for row in found["processes"]) == [1001, 1002, 1003]
    assert found["rows"][0]["access"]["read"]["pattern"] == "backward"


def test_damage_is_said(tmp_path: Path) -> None:
    path = simulation(tmp_path / "a.hr")
    data = bytearray(path.read_bytes())
    place = data.index(b"sizes") + 60  # somewhere in that table
    data[place + 100] ^= 0xFF
    path.write_bytes(data)
    found = facts(path)
    assert found["damage"], "the flipped byte lies in a chunk that show reads"
    text = headrace("show", path).stdout
    assert "Damaged:" in text
    assert f"byte {found['damage'][0]['offset']:,}:" in text


def test_the_keys_of_json_are_those_documented(tmp_path: Path) -> None:
    docs = Path(__file__).parents[2] / "docs"
    text = "".join((docs / name).read_text() for name in ("show.md", "parallel.md"))
    text += (docs / "reference/counters.md").read_text()
    documented = set(re.findall(r'[`"]([a-z0-9_ ]+)[`"]', text))
    used: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            used.update(value)
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            collect(item)

    for log in (simulation(tmp_path / "a.hr"), parallel(tmp_path / "b.hr")):
        for by in ("path", "process", "directory"):
            collect(facts(log, "--by", by))
    collect({"offset": 0, "reason": ""})
    assert used <= documented, f"docs/show.md lacks {sorted(used - documented)}"


@pytest.mark.alone
def test_100_000_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import time

    log = large(tmp_path / "a.hr")
    start = time.perf_counter()
    run = headrace("show", log)
    elapsed = time.perf_counter() - start
    assert "I/O of 100,000 files" in run.stdout
    with capsys.disabled():
        print(f"\nheadrace show of 100,000 file records: {elapsed:.2f} s")
