"""`headrace trace export --to otf2`: what the OTF2 library's own reader finds is what the trace has."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from commands import headrace as run
from made_traces import (
    BEGIN,
    COLLECTIVE,
    COUNTER,
    END,
    ENTER,
    LEAVE,
    MPI_SEND,
    SEND,
    STEP,
    TEMPERATURE,
    UNKNOWN,
    WORLD,
    WRITE,
    damage,
    event,
    real,
    two_ranks,
    write,
)
from otf2_archive import counts, printed, records

NO_ROOT = (1 << 32) - 1


def export(trace: Path, out: Path, *options: str) -> str:
    """What it says on standard error."""
    done = run("trace", "export", trace, "--to", "otf2", "-o", out, *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{out}: ")
    return done.stderr


def test_records_are_the_events(tmp_path: Path) -> None:
    assert export(two_ranks(tmp_path / "job.trace.hr"), tmp_path / "out") == ""
    found = records(tmp_path / "out")
    assert [(r["kind"], r["location"], r["time"] - 10**9) for r in found if r["location"] == 0] == [
        ("ENTER", 0, 0),
        ("ENTER", 0, 100),
        ("LEAVE", 0, 1_100),
        ("ENTER", 0, 2_000),
        ("IO_OPERATION_BEGIN", 0, 2_000),
        ("IO_OPERATION_COMPLETE", 0, 22_000),
        ("LEAVE", 0, 22_000),
        ("ENTER", 0, 30_000),
        ("IO_OPERATION_BEGIN", 0, 30_000),
        ("IO_OPERATION_COMPLETE", 0, 31_000),
        ("LEAVE", 0, 31_000),
        ("METRIC", 0, 40_000),
        ("ENTER", 0, 50_000),
        ("MPI_SEND", 0, 50_100),
        ("LEAVE", 0, 50_200),
        ("LEAVE", 0, 60_000),
    ]
    opened, began, completed, failed = found[1], found[4], found[9], found[10]
    assert opened["with"] == {"File": '"/data/out" <0>'}
    assert 'Handle: "/data/out" <0>, Mode: WRITE' in began["text"]
    assert "Bytes Request: 4096" in began["text"]
    assert began["with"] == {"Offset": "8192"}
    assert "Bytes Result: 0" in completed["text"]
    assert failed["with"] == {"Errno": "28"}
    assert '("temperature" <0>; DOUBLE; 36.6)' in found[11]["text"]
    assert found[13]["text"].startswith(
        'Receiver: 1 ("Thread 1" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 3'
    )
    assert found[16]["text"].startswith(
        'Sender: 0 ("Thread 1" <0>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 3'
    )


def test_definitions_say_who_and_where(tmp_path: Path) -> None:
    export(two_ranks(tmp_path / "job.trace.hr"), tmp_path / "out")
    said = printed(tmp_path / "out", "-G")
    assert "Ticks per Seconds: 1000000000, Global Offset: 0" in said
    assert 'Name: "n1" <' in said
    assert 'Name: "MPI Rank 1" <' in said
    assert "Type: CPU_THREAD, # Events: 16" in said
    assert "Role: FILE_IO, Paradigm: UNKNOWN" in said
    assert "Role: CODE, Paradigm: USER, Flags: {PHASE}" in said
    assert 'Identification: "POSIX" <' in said
    assert 'IO_REGULAR_FILE                        0  Name: "/data/out"' in said
    assert 'Type: COMM_LOCATIONS, Paradigm: "MPI" <4>, Flags: NONE, 2 Members' in said


def test_collectives_take_as_long_as_their_call(tmp_path: Path) -> None:
    events = [
        event(100, ENTER, MPI_SEND),
        event(110, COLLECTIVE, WORLD, NO_ROOT, 64, 128),
        event(200, LEAVE, MPI_SEND),
        event(300, COLLECTIVE, WORLD, 0, 8, 0),
    ]
    trace = write(tmp_path / "t.trace.hr", [(1, 1, 0, "n", 2, 0, b"".join(events))])
    export(trace, tmp_path / "out")
    found = [(r["kind"], r["time"]) for r in records(tmp_path / "out")]
    assert found == [
        ("ENTER", 100),
        ("MPI_COLLECTIVE_BEGIN", 100),
        ("MPI_COLLECTIVE_END", 200),
        ("LEAVE", 200),
        ("MPI_COLLECTIVE_BEGIN", 300),
        ("MPI_COLLECTIVE_END", 300),
    ]
    assert "Sent: 64, Received: 128" in records(tmp_path / "out")[2]["text"]


def test_collectives_begin_with_the_call_that_they_are_in(tmp_path: Path) -> None:
    """Also inside of others, with events between; and none begins that cannot be written to its end."""
    of_no_rank = 7
    events = [
        event(10, ENTER, STEP),
        event(20, ENTER, MPI_SEND),
        event(30, ENTER, MPI_SEND),
        event(31, BEGIN, WRITE, 1, 10, 0),
        event(32, END, WRITE, 1, 10),
        event(40, COLLECTIVE, WORLD, NO_ROOT, 1, 2),
        event(40, LEAVE, MPI_SEND),
        event(50, LEAVE, MPI_SEND),
        event(60, ENTER, MPI_SEND),
        event(70, COLLECTIVE, WORLD, of_no_rank, 1, 2),
        event(70, LEAVE, MPI_SEND),
        event(80, LEAVE, STEP),
    ]
    trace = write(tmp_path / "t.trace.hr", [(1, 1, 0, "n", 2, 0, b"".join(events))], [(1, 1, "/x")])
    said = export(trace, tmp_path / "out")
    assert "1 message or collective left out: no rank" in said
    assert [(r["kind"], r["time"]) for r in records(tmp_path / "out")] == [
        ("ENTER", 10),
        ("ENTER", 20),
        ("ENTER", 30),
        ("MPI_COLLECTIVE_BEGIN", 30),
        ("ENTER", 31),
        ("IO_OPERATION_BEGIN", 31),
        ("IO_OPERATION_COMPLETE", 32),
        ("LEAVE", 32),
        ("MPI_COLLECTIVE_END", 40),
        ("LEAVE", 40),
        ("LEAVE", 50),
        ("ENTER", 60),
        ("LEAVE", 70),
        ("LEAVE", 80),
    ]


def test_collectives_in_a_call_with_very_many_events(tmp_path: Path) -> None:
    """No more than so many are kept in memory; then the operation is told where the trace has it."""
    many = b"".join(event(20 + i, COUNTER, TEMPERATURE, 0, real(1.0)) for i in range(70_000))
    data = event(10, ENTER, MPI_SEND) + many
    data += event(90_000, COLLECTIVE, WORLD, NO_ROOT, 1, 2) + event(90_000, LEAVE, MPI_SEND)
    export(write(tmp_path / "t.trace.hr", [(1, 1, 0, "n", 2, 0, data)]), tmp_path / "out")
    found = [(r["kind"], r["time"]) for r in records(tmp_path / "out") if r["kind"] != "METRIC"]
    assert found == [
        ("ENTER", 10),
        ("MPI_COLLECTIVE_BEGIN", 90_000),
        ("MPI_COLLECTIVE_END", 90_000),
        ("LEAVE", 90_000),
    ]


def test_a_time_span_and_a_rank(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    said = export(trace, tmp_path / "out", "--rank", "0", "--from", "1.000010", "--until", "1.000035")
    assert "2 calls and regions open when the time span begins" in said
    assert "1 call or region still open at the end: closed there" in said
    times = [r["time"] - 10**9 for r in records(tmp_path / "out")]
    assert times == [10_000, 10_000, 10_000, 22_000, 22_000, 30_000, 30_000, 31_000, 31_000, 35_000]
    assert "Global Offset: 1000010000" in printed(tmp_path / "out", "-G")


def test_what_is_not_balanced_is_and_is_told(tmp_path: Path) -> None:
    events = [
        event(10, LEAVE, STEP),
        event(20, ENTER, STEP),
        event(30, BEGIN, WRITE, 1, 10, 0),
        event(40, LEAVE, STEP),
        event(35, ENTER, STEP),
        event(50, SEND, WORLD, 7, 1, 1),
    ]
    trace = write(tmp_path / "t.trace.hr", [(1, 1, -1, "n", 2, 0, b"".join(events))], [(1, 1, "/x")])
    said = export(trace, tmp_path / "out")
    for line in (
        "1 end left out: of what was not open",
        "1 call or region closed as what they were in ended",
        "1 event before the one in front of them",
        "1 call or region still open at the end",
        "1 message or collective left out: no rank",
    ):
        assert line in said
    assert counts(tmp_path / "out") == {
        "ENTER": 3, "LEAVE": 3, "IO_OPERATION_BEGIN": 1, "IO_OPERATION_COMPLETE": 1,
    }  # fmt: skip
    assert f"Bytes Result: {UNKNOWN}" in printed(tmp_path / "out")


def test_any_events_become_records_that_can_be_read(tmp_path: Path) -> None:
    """As many as there are, at their times, with their offsets and bytes."""
    chance = random.Random(20261123)
    for number in range(5):
        locations, io, others = [], [], 0
        for rank in range(3):
            time, data = 0, b""
            for _ in range(chance.randrange(200)):
                time += chance.choice([0, 1, 7, 10**6, 10**12])
                what = chance.randrange(5)
                if what < 3:
                    handle, size = chance.randrange(4), chance.choice([0, 1, 4096, 1 << 40])
                    offset = chance.choice([0, 7, 1 << 50, UNKNOWN])
                    moved = chance.choice([size, 0])
                    data += event(time, BEGIN, WRITE, handle, size, offset)
                    data += event(time + 3, END, WRITE, handle, moved, 5 * (moved < size))
                    io.append((rank, time, size, offset, time + 3, moved))
                    time += 3
                elif what == 3:
                    data += event(time, COUNTER, TEMPERATURE, 0, real(chance.random()))
                else:
                    data += event(time, SEND, WORLD, chance.randrange(3), chance.randrange(99), 5)
                others += what >= 3
            locations.append((rank + 1, 1, rank, "n", 100 + rank, 0, data))
        names = [(rank + 1, 1 + i, f"/f{i}") for rank in range(3) for i in range(2)]
        out = tmp_path / str(number)
        assert export(write(tmp_path / f"{number}.trace.hr", locations, names), out) == ""
        found = records(out)
        begun = [r for r in found if r["kind"] == "IO_OPERATION_BEGIN"]
        ended = [r for r in found if r["kind"] == "IO_OPERATION_COMPLETE"]
        assert sum(r["kind"] in ("METRIC", "MPI_SEND") for r in found) == others
        assert sorted(
            (r["location"], r["time"], int(r["text"].split("Request: ")[1].split(",")[0]),
             int(r["with"].get("Offset", UNKNOWN)))
            for r in begun
        ) == sorted(each[:4] for each in io)  # fmt: skip
        assert sorted(
            (r["location"], r["time"], int(r["text"].split("Result: ")[1].split(",")[0])) for r in ended
        ) == sorted((each[0], each[4], each[5]) for each in io)


def test_hostile_names(tmp_path: Path) -> None:
    names = [b"nul\0inside", b"new\nline", b"\xff\xfe not UTF-8", b"x" * 65536, b"", b"y" * (3 << 20)]
    data = b"".join(
        event(10 * i, BEGIN, WRITE, 1 + i, 1, 0) + event(10 * i + 5, END, WRITE, 1 + i, 1)
        for i in range(len(names))
    )
    handles = [(1, 1 + i, name) for i, name in enumerate(names)]
    trace = write(tmp_path / "t.trace.hr", [(1, 1, 0, "ho\nst", 2, 0, data)], handles)
    export(trace, tmp_path / "out")
    said = printed(tmp_path / "out", "-G")
    for name in ("nul\\x00inside", "new\nline", "\\xff\\xfe not UTF-8", "x" * 65536, "unknown"):
        assert "IO_HANDLE" in said and f'Name: "{name}" <' in said
    assert printed(tmp_path / "out").count("IO_OPERATION_BEGIN") == len(names)


def test_lost_and_damaged_chunks(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    damage(trace)
    said = export(trace, tmp_path / "out")
    assert "1 damaged chunk passed over: headrace trace verify says where" in said
    assert counts(tmp_path / "out") == {"MPI_RECV": 1}


def test_a_trace_without_events(tmp_path: Path) -> None:
    trace = write(tmp_path / "t.trace.hr", [(1, 1, 0, "n", 2, 0, b"")])
    export(trace, tmp_path / "out")
    assert counts(tmp_path / "out") == {}


def test_what_is_there_stays(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("x")
    command = ("trace", "export", trace, "--to", "otf2", "-o", out)
    refused = run(*command)
    assert refused.returncode == 4
    assert "exists already; --force replaces it" in refused.stderr
    assert run(*command, "--force").returncode == 4
    assert (out / "mine").read_text() == "x"
    export(trace, tmp_path / "new")
    before = (tmp_path / "new" / "traces.otf2").stat().st_ino
    export(trace, tmp_path / "new", "--force")
    assert (tmp_path / "new" / "traces.otf2").stat().st_ino != before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job.trace.hr", "new", "out"]


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        (("--to", "otf2"), 2, "needs a name (-o OUT)"),
        (("-o", "x"), 2, "needs a format"),
        (("--to", "otf2", "-o", "{}/no/such"), 4, "cannot be written: No such file or directory"),
        (("--to", "otf2", "-o", "{}/x", "--from", "2", "--until", "1"), 2, "--from 2 is after --until 1"),
        (("--to", "otf2", "-o", "{}/x", "--rank", "9"), 2, "has no rank 9"),
    ],
)
def test_what_makes_no_sense(tmp_path: Path, options: tuple[str, ...], status: int, says: str) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    done = run("trace", "export", trace, *(option.format(tmp_path) for option in options))
    assert done.returncode == status
    assert says in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["job.trace.hr"]


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    trace = tmp_path / "t.trace.hr"
    many = b"".join(event(10 * i, SEND, WORLD, 0, i * 7919, i) for i in range(300_000))
    write(trace, [(1, 1, 0, "n", 2, 0, many)])
    done = subprocess.run(
        [sys.executable, "-m", "headrace", "trace", "export", trace, "--to", "otf2", "-o", tmp_path / "out"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert "the OTF2 library crashed (SIG" in done.stderr
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["t.trace.hr"]


def test_a_failure_that_is_not_of_the_disk(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    is_child = "'headrace._otf2_child' in ' '.join(sys.orig_argv)"
    broken = f"import sys\nif {is_child}: sys.exit('first\\nno such symbol: x')\n"
    (tmp_path / "sitecustomize.py").write_text(broken)
    done = run("trace", "export", trace, "--to", "otf2", "-o", tmp_path / "out", PYTHONPATH=str(tmp_path))
    assert done.returncode == 4, done.stderr
    assert "exit status 1: no such symbol: x" in done.stderr
    assert "disk" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_without_the_library(tmp_path: Path) -> None:
    """As in a build without it, the module is not there."""
    trace = two_ranks(tmp_path / "job.trace.hr")
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['headrace._otf2'] = None\n")
    done = run("trace", "export", trace, "--to", "otf2", "-o", tmp_path / "out", PYTHONPATH=str(tmp_path))
    assert done.returncode == 5, done.stderr
    assert "libotf2-trace-dev" in done.stderr
    assert not (tmp_path / "out").exists()
