"""`headrace trace`, on traces of known content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import headrace
import pytest
from commands import headrace as run
from made_logs import LogMaker
from made_traces import (
    BEGIN,
    END,
    ENTER,
    LEAVE,
    RECEIVE,
    SEND,
    STEP,
    WORLD,
    WRITE,
    damage,
    dump,
    event,
    two_ranks,
    write,
)

LINES = """\
     1.000000000  rank 0  enter step
     1.000000100  rank 0  open  /data/out  1 µs
     1.000002000  rank 0  write  /data/out  4 KiB  at 8,192  20 µs
     1.000030000  rank 0  write  /data/out  0 B of 100 B  at 12,288  1 µs  ENOSPC
     1.000040000  rank 0  temperature = 36.6
     1.000050000  rank 0  enter MPI_Send
     1.000050100  rank 0  send 8 B to 1, tag 3, MPI_COMM_WORLD
     1.000050200  rank 0  leave MPI_Send  8 B  200 ns
     1.000060000  rank 0  leave step  60 µs
     1.000060000  rank 1  receive 8 B from 0, tag 3, MPI_COMM_WORLD
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return two_ranks(tmp_path / "job.trace.hr")


def facts(*arguments: Any, status: int = 0) -> dict[str, Any]:
    found = run("trace", *arguments, "--json")
    assert found.returncode == status, found.stderr
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def checks(*arguments: Any, status: int = 0) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in facts("verify", *arguments, status=status)["checks"]}


def test_info_reads_what_headers_say(trace: Path) -> None:
    found = facts("info", trace)
    size = trace.stat().st_size
    assert (found["events"], found["bytes"], found["bytes_per_event"]) == (13, size, size / 13)
    assert (found["locations"], found["processes"], found["ranks"], found["rank_list"]) == (2, 2, 2, "0-1")
    assert (found["begin_at_ns"], found["end_at_ns"]) == (1_000_000_000, 1_000_060_000)
    assert (found["tick_ns"], found["start_utc_ns"], found["closed"]) == (1, 5, True)
    assert (found["lost_events"], found["lost_chunks"], found["damage"]) == (0, 0, [])
    shown = run("trace", "info", trace)
    assert "2 threads of 2 processes on 1 host; ranks 0-1" in shown.stdout
    assert "60 µs, from 1 s to 1 s of the job" in shown.stdout


def test_cat_prints_a_line_an_event_by_time(trace: Path) -> None:
    assert run("trace", "cat", trace).stdout == LINES
    lines = LINES.splitlines(keepends=True)
    assert run("trace", "cat", trace, "--limit", "2").stdout == "".join(lines[:2])
    assert run("trace", "cat", trace, "--rank", "1").stdout == lines[-1]
    assert run("trace", "cat", trace, "--process", "502").stdout == lines[-1]
    assert run("trace", "cat", trace, "--process", "000000000000000c").stdout == lines[-1]
    ranged = run("trace", "cat", trace, "--from", "1.00004", "--until", "1000050.1us")
    assert ranged.stdout == "".join(lines[4:7])


def test_cat_as_json_has_an_object_a_line(trace: Path) -> None:
    rows = [json.loads(line) for line in run("trace", "cat", trace, "--json").stdout.splitlines()]
    where = {"rank": 0, "process": "000000000000000b", "pid": 501, "thread": 1}
    assert rows[1] == {
        **where, "time_ns": 1_000_000_100, "kind": "io", "layer": "posix", "name": "open",
        "duration_ns": 1000, "handle": 1,
        "path": "/data/out", "size": 0, "offset": None, "moved": 0, "error": 0,
    }  # fmt: skip
    assert (rows[3]["size"], rows[3]["moved"], rows[3]["offset"], rows[3]["error"]) == (100, 0, 12288, 28)
    assert rows[4]["value"] == 36.6
    assert (rows[6]["communicator"], rows[6]["peer"], rows[6]["tag"]) == ("MPI_COMM_WORLD", 1, 3)
    assert rows[7]["duration_ns"] == 200


def test_stats_adds_up(trace: Path) -> None:
    found = facts("stats", trace)
    assert (found["events"], found["locations"], found["lost_chunks"], found["lost_events"]) == (13, 2, 0, 0)
    assert found["bytes_per_event"] == trace.stat().st_size / 13
    assert found["kinds"]["io_end"] == 3
    assert found["traffic"] == {
        "sends": 1, "bytes_sent": 8, "receives": 1, "bytes_received": 8, "collectives": 0,
    }  # fmt: skip
    by_name = {row["name"]: row for row in found["functions"]}
    wrote = by_name["write"]
    assert (wrote["calls"], wrote["errors"], wrote["bytes"]) == (2, 1, 4096)
    assert (wrote["time_ns"], wrote["longest_ns"], wrote["class"]) == (21_000, 20_000, "write")
    assert (wrote["own_ns"], by_name["step"]["own_ns"], by_name["step"]["time_ns"]) == (
        21_000,
        37_800,
        60_000,
    )
    assert by_name["MPI_Send"]["bytes"] == 8
    times = found["class_ns"]
    assert (times["write"], times["metadata"], times["messages"]) == (21_000, 1000, 200)
    assert sum(times.values()) == 60_000
    shown = run("trace", "stats", trace).stdout
    assert "write     posix  write" in shown


def log_beside(trace: Path, calls: int = 2, **process: Any) -> Path:
    log = LogMaker(start_utc_ns="5")
    if process:
        log.process(11, **process)
    for function, layer, times, moved in [
        ("write", "posix", calls, 4096), ("open", "posix", 1, 0), ("MPI_Send", "mpi", 1, 8),
    ]:  # fmt: skip
        log.add("profiles", process=11, function=function, layer=layer, calls=times, bytes=moved)
    log.file(11, "/data/out", writes=calls, bytes_written=4096)
    return log.write(trace.with_name("job.hr"))


def test_verify_holds_where_nothing_is_wrong(trace: Path) -> None:
    found = checks(trace)
    assert [name for name, check in found.items() if check["holds"] is not True] == [
        "streams",
        "job log",
        "files",
    ]
    log_beside(trace)
    found = checks(trace)
    assert all(check["holds"] for check in found.values())
    assert found["job log"]["amounts"]["calls"] == 4
    assert found["messages"]["amounts"]["messages_matched"] == 1


def test_verify_finds_what_differs_from_the_log(trace: Path) -> None:
    log_beside(trace, calls=3)
    found = run("trace", "verify", trace)
    assert found.returncode == 1
    said = " ".join(found.stdout.split())
    assert "write: 2 calls, 4,096 bytes; in the log 3 calls, 4,096 bytes" in said


def test_verify_finds_files_with_other_bytes(trace: Path) -> None:
    log = LogMaker(start_utc_ns="5")
    log.file(11, "/data/out", writes=1, bytes_written=4000)
    log.file(11, "/data/in", reads=1, bytes_read=7)
    log.write(trace.with_name("job.hr"))
    found = checks(trace, status=1)["files"]
    assert (found["holds"], found["amounts"]["files"]) == (False, 2)
    differing = [(row["path"], row["trace"], row["log"]) for row in found["amounts"]["differing"]]
    assert differing == [("/data/in", [0, 0], [7, 0]), ("/data/out", [0, 4096], [0, 4000])]


def test_verify_adds_up_files_that_the_log_has_together(trace: Path) -> None:
    log_beside(trace)
    log = LogMaker(start_utc_ns="5")
    log.file(11, "/data", kind="directory_rollup", writes=2, bytes_written=4096, folded_files=2)
    log.write(trace.with_name("job.hr"))
    assert checks(trace, status=1)["files"]["holds"] is True


def test_verify_knows_what_a_kill_leaves_open(tmp_path: Path) -> None:
    """The last call of what was killed may be counted and not recorded; its last message may never come."""
    sends_twice = dump() + dump(1_000_100_000)
    received = event(1_000_060_000, RECEIVE, WORLD, 0, 8, 3)
    locations = [(11, 1, 0, "n1", 501, 0, sends_twice), (12, 1, 1, "n1", 502, 0, received)]
    trace = write(tmp_path / "job.trace.hr", locations, [(11, 1, "/data/out")], start_utc_ns="5")
    log = LogMaker(start_utc_ns="5")
    log.process(11, rank=0, ended="killed", uncertain_operations=1)
    log.process(12, rank=1, ended="exit")
    log.process(13, rank=-1, ranks=2)  # stands for both, in the table of files
    for function, layer, times, moved in [
        ("write", "posix", 5, 8192), ("open", "posix", 2, 0), ("MPI_Send", "mpi", 2, 16),
    ]:  # fmt: skip
        log.add("profiles", process=11, function=function, layer=layer, calls=times, bytes=moved)
    log.write(trace.with_name("job.hr"))
    found = checks(trace)
    assert found["messages"]["holds"] is None
    assert "no rank is known to have come through MPI_Finalize" in found["messages"]["says"]
    assert found["streams"]["amounts"] == {"processes": 2, "missing": []}
    assert found["job log"]["holds"] is None and "1 calls are in one of both" in found["job log"]["says"]


@pytest.mark.parametrize("ended", ["killed", "exit"])
def test_verify_excuses_messages_of_ranks_that_did_not_finalize(tmp_path: Path, ended: str) -> None:
    """MPI_Abort ends some by exit and others by signals. A message between others has to arrive."""
    first = event(1, SEND, WORLD, 1, 8, 3) + event(2, SEND, WORLD, 1, 8, 3)
    first += event(3, SEND, WORLD, 2, 8, 3) + event(4, SEND, WORLD, 2, 8, 3)
    second = event(5, RECEIVE, WORLD, 0, 8, 3) + event(6, RECEIVE, WORLD, 0, 8, 3)
    third = event(7, RECEIVE, WORLD, 0, 8, 3) + event(8, RECEIVE, WORLD, 1, 8, 4)

    def found(*parts: bytes) -> dict[str, Any]:
        locations = [(11 + rank, 1, rank, "n1", 501 + rank, 0, part) for rank, part in enumerate(parts)]
        trace = write(tmp_path / "job.trace.hr", locations, start_utc_ns="5")
        log = LogMaker(start_utc_ns="5")
        for rank in range(3):
            log.process(11 + rank, rank=rank, ended=ended if rank == 2 else "exit")
            finalizes = 0 if rank == 2 else 1
            log.add("profiles", process=11 + rank, function="MPI_Finalize", layer="mpi", calls=finalizes)
        log.write(trace.with_name("job.hr"))
        options = ("--json", "--log", trace.with_name("job.hr"), trace)
        checks = json.loads(run("trace", "verify", *options).stdout)["checks"]
        return {check["name"]: check for check in checks}["messages"]

    opened = found(first, second, third)
    assert opened["holds"] is None
    assert opened["says"].endswith(
        "; 2 of them need not have arrived: rank 2 ended without MPI_Finalize (killed or aborted, say)"
    )
    assert opened["amounts"]["messages_of_unfinalized"] == 2
    assert opened["amounts"]["unfinalized_ranks"] == "2"
    failed = found(first, second[:32], third)
    assert failed["holds"] is False and "2 without a receive" in failed["says"]
    assert failed["amounts"]["messages_of_unfinalized"] == 2


def test_verify_finds_what_is_wrong_inside(tmp_path: Path) -> None:
    wrong = [
        event(10, LEAVE, STEP), event(5, ENTER, STEP), event(6, BEGIN, WRITE, 9), event(7, END, WRITE, 9),
    ]  # fmt: skip
    path = write(
        tmp_path / "a.trace.hr", [(1, 1, 0, "n", 5, 3, b"".join(wrong)), (2, 1, 1, "n", 6, 0, dump())]
    )
    found = checks(path, status=1)
    assert found["balance"]["amounts"]["unbalanced_where_lost"] == 1
    assert found["order"]["amounts"]["backward"] == 1
    assert "(first: rank 0)" in found["order"]["says"]
    assert found["names"]["amounts"]["handleless"] == 4
    assert found["events"]["amounts"] == {"events": 16, "lost_calls": 3, "lost_events": 0}
    assert "; 3 calls could not be recorded" in found["events"]["says"]
    assert found["messages"]["holds"] is None
    assert found["messages"]["amounts"]["messages_not_received"] == 1


def test_damaged_chunks_are_passed_over_and_told(trace: Path) -> None:
    damage(trace)
    found = facts("stats", trace)
    assert (found["events"], found["lost_chunks"], found["lost_events"]) == (1, 1, 12)
    assert checks(trace, status=1)["chunks"]["amounts"]["damaged"] == 1
    printed = run("trace", "cat", trace)
    assert printed.stdout == LINES.splitlines(keepends=True)[-1]
    assert "1 damaged chunk passed over" in printed.stderr
    said = run("trace", "info", trace)
    assert said.returncode == 0 and "Damaged: 1 chunk of events." in said.stdout
    assert facts("info", trace)["damaged_chunks"] == 1
    (place,) = facts("verify", trace, status=1)["damage"]
    said = run("trace", "verify", trace)
    assert f"Damaged at byte {place['offset']:,}, {place['bytes']:,} bytes: " in said.stdout
    assert "12 events of rank 0, thread 1" in " ".join(said.stdout.split())


def test_a_trace_that_was_cut_is_read_as_far_as_it_goes(trace: Path) -> None:
    data = trace.read_bytes()
    answers = set()
    for length in range(0, len(data), 37):
        trace.write_bytes(data[:length])
        found = run("trace", "stats", "--json", trace) if length % 370 == 0 else None
        if found is not None:
            answers.add(found.returncode)
            assert found.returncode in (0, 3)
    assert answers == {0, 3}


@pytest.mark.parametrize("command", ["info", "cat", "stats", "verify"])
def test_what_is_no_trace_is_said(tmp_path: Path, command: str) -> None:
    log = LogMaker().write(tmp_path / "job.hr")
    found = run("trace", command, log)
    assert found.returncode == 3
    assert "job.hr: a job log, and no trace. Use `headrace show` on it" in found.stderr
    missing = run("trace", command, tmp_path / "no.trace.hr")
    assert missing.returncode == 3
    assert "no.trace.hr" in missing.stderr


def test_a_trace_in_place_of_a_log_is_said(trace: Path) -> None:
    found = run("show", trace)
    assert found.returncode == 3
    assert "job.trace.hr: a trace, and no job log. Use `headrace trace info` on it" in found.stderr


def test_what_makes_no_sense_is_said(trace: Path) -> None:
    for arguments, said in [
        (["cat", "--rank", "7"], "has no rank 7; it has ranks 0-1"),
        (["cat", "--process", "9"], "has no process 9; it has pids 501, 502"),
        (["cat", "--from", "soon"], "--from soon: is no time"),
        (["info", "--job", "2"], "holds 1 job: choose one by its number"),
    ]:
        found = run("trace", *arguments, trace)
        assert found.returncode == 2
        assert said in found.stderr
    other = LogMaker(start_utc_ns="6").write(trace.with_name("other.hr"))
    found = run("trace", "verify", trace, "--log", other)
    assert found.returncode == 2
    assert "other.hr: is of another job" in found.stderr


def test_a_trace_is_not_passed_on_as_if_it_had_no_names(trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "anonymous.trace.hr"
    refused = run("anonymize", trace, "-o", target)
    assert refused.returncode != 0 and "cannot be taken out; pass on the job log" in refused.stderr
    assert not target.exists()


def test_a_trace_is_not_converted(trace: Path, tmp_path: Path) -> None:
    """It is no job log without operations, and none without anything."""
    for target in ("trace", "darshan", "hr"):
        done = run("convert", trace, "--to", target, "-o", tmp_path / "new")
        assert done.returncode != 0 and "job.trace.hr: a trace, and no job log" in done.stderr
        assert "DXT" not in done.stderr and not (tmp_path / "new").exists()
    empty = write(tmp_path / "empty.trace.hr", [], trace_of="empty.hr")
    assert "a trace, and no job log" in run("show", empty).stderr


def test_a_trace_is_not_opened_as_a_log(trace: Path) -> None:
    with pytest.raises(headrace.LogForeignError, match=r"`headrace\.open_trace` in Python"):
        headrace.open(trace)


def test_parts_of_archives_are_told(tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    for name in ("traces.def", "traces/0.evt"):
        (tmp_path / name).write_bytes(b"OTF2")
        done = run("convert", tmp_path / name, "--to", "trace", "-o", tmp_path / "new")
        assert done.returncode == 2 and "read by its anchor, NAME.otf2" in done.stderr
    (tmp_path / "traces.otf2").write_bytes(b"")
    for name in ("traces.def", "traces/0.evt"):
        done = run("convert", tmp_path / name, "-o", tmp_path / "new")
        assert f"name its anchor, {tmp_path / 'traces.otf2'}, with --to trace" in done.stderr


def test_info_tells_what_is_still_on_a_node(trace: Path, tmp_path: Path) -> None:
    """While the job runs its file is not closed, and names those that are copied at the end."""
    named = write(tmp_path / "a.trace.hr", [(11, 1, 0, "n", 5, 0, dump())], **{"stream.12": "node-n-1.hr"})
    assert facts("info", named)["waiting_files"] == []  # closed: what is missing is missing
    cut = tmp_path / "b.trace.hr"
    cut.write_bytes(named.read_bytes()[:-64])
    assert facts("info", cut)["waiting_files"] == ["node-n-1.hr"]
    said = " ".join(run("trace", "info", cut).stdout.split())
    assert "Not complete yet: events of a node are in a file on its local storage (node-n-1.hr)" in said
    (tmp_path / "b.trace.hr.d").mkdir()
    (tmp_path / "b.trace.hr.d" / "node-n-1.hr").write_bytes(b"")
    assert facts("info", cut)["waiting_files"] == []


def test_numbers_beyond_53_bits_are_also_texts(tmp_path: Path) -> None:
    path = write(tmp_path / "a.trace.hr", [(1, 1, 0, "n", 5, 0, dump())], start_utc_ns="1795436813779209233")
    found = facts("info", path)
    assert found["start_utc_ns"] == 1795436813779209233
    assert found["start_utc"] == "2026-11-23T12:26:53.779209233Z"


def test_stats_and_overview_say_what_was_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.trace.hr", [(1, 1, 0, "n", 5, 0, dump())], filter="trace_only=write")
    for command in ("stats", "overview"):
        assert "Not everything was recorded (trace_only=write)" in run("trace", command, path).stdout
        found = facts(command, path)
        assert (found["filter"], found["left_out"]) == ("trace_only=write", {})
    whole = write(tmp_path / "b.trace.hr", [(1, 1, 0, "n", 5, 0, dump())])
    for command in ("stats", "overview"):
        assert "Not everything" not in run("trace", command, whole).stdout
        assert facts(command, whole)["filter"] is None
