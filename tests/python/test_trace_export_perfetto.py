"""`headrace trace export --to perfetto`: by the published definitions, packets say what the trace has."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from commands import headrace as run
from made_traces import (
    BEGIN,
    COLLECTIVE,
    COUNTER,
    END,
    ENTER,
    LEAVE,
    MPI_SEND,
    RECEIVE,
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
from perfetto_trace import Decoded


def export(trace: Path, out: Path, *options: str) -> str:
    """What it says on standard error."""
    done = run("trace", "export", trace, "--to", "perfetto", "-o", out, *options)
    assert done.returncode == 0, done.stderr
    return done.stderr


def brief(found: dict[str, Any]) -> tuple[Any, ...]:
    return (found["time"] - 10**9, found["type"], found["name"])


def test_packets_are_the_events(tmp_path: Path) -> None:
    out = tmp_path / "out.pftrace"
    assert export(two_ranks(tmp_path / "job.trace.hr"), out) == ""
    decoded = Decoded(out)
    first = [found for found in decoded.events if found["tid"] in (501, 0)]
    assert [brief(found) for found in first] == [
        (0, "begin", "step"),
        (100, "begin", "open"),
        (1_100, "end", None),
        (2_000, "begin", "write"),
        (22_000, "end", None),
        (30_000, "begin", "write"),
        (31_000, "end", None),
        (40_000, "counter", None),
        (50_000, "begin", "MPI_Send"),
        (50_100, "instant", "send"),
        (50_200, "end", None),
        (60_000, "end", None),
    ]
    assert first[3].items() >= {"size": 4096, "offset": 8192, "path": "/data/out"}.items()
    assert first[3]["categories"] == ["write", "posix"]
    assert first[4]["moved"] == 4096
    assert (first[6]["moved"], first[6]["errno"]) == (0, 28)
    assert (first[7]["track"], first[7]["value"]) == ("temperature", 36.6)
    assert first[9].items() >= {"peer": 1, "tag": 3, "size": 8, "communicator": "MPI_COMM_WORLD"}.items()
    (received,) = [found for found in decoded.events if found["name"] == "receive"]
    assert received["tid"] == 502
    assert first[9]["flows"] == received["ends"] != []


def test_tracks_say_who(tmp_path: Path) -> None:
    locations = [
        (11, 1, 0, "n1", 501, 0, event(1, ENTER, STEP)),
        (11, 2, 0, "n1", 501, 0, event(1, ENTER, STEP)),
        (12, 1, 1, "n2", 501, 0, event(1, ENTER, STEP)),
    ]
    out = tmp_path / "out"
    said = export(write(tmp_path / "t.trace.hr", locations, start_utc_ns="77"), out)
    assert "3 calls and regions still open at the end: closed there" in said
    decoded = Decoded(out)
    processes = [each for each in decoded.tracks.values() if each.HasField("process")]
    threads = [each for each in decoded.tracks.values() if each.HasField("thread")]
    names = ["rank 0 (pid 501 on n1)", "rank 1 (pid 501 on n2)"]
    assert [each.process.process_name for each in processes] == names
    assert len({each.process.pid for each in processes}) == 2, "the same on two hosts"
    assert len({each.thread.tid for each in threads}) == 3
    assert [each.parent_uuid for each in threads] == [processes[i].uuid for i in (0, 0, 1)]
    snapshot = decoded.trace.packet[0].clock_snapshot
    assert {clock.clock_id: clock.timestamp for clock in snapshot.clocks} == {6: 0, 1: 77}


def test_any_events_become_packets(tmp_path: Path) -> None:
    """Slices with their offsets and bytes, and each message with its other end."""
    chance = random.Random(20261123)
    for number in range(5):
        data, expected, sent = [b"", b"", b""], [], []
        for rank in range(3):
            time = 0
            for _ in range(chance.randrange(100)):
                time += chance.choice([0, 1, 7, 10**6, 10**12])
                size, offset = chance.choice([1, 4096, 1 << 40]), chance.choice([0, 1 << 50, UNKNOWN])
                data[rank] += event(time, BEGIN, WRITE, 1, size, offset) + event(
                    time + 3, END, WRITE, 1, size - 1
                )
                expected.append(
                    (500 + rank, time, size, None if offset == UNKNOWN else offset, time + 3, size - 1)
                )
                time += 3
                if chance.randrange(3) == 0:
                    peer, tag = chance.randrange(3), chance.randrange(2)
                    data[rank] += event(time, SEND, WORLD, peer, len(sent), tag)
                    sent.append((rank, peer, tag, len(sent)))
        for rank, peer, tag, size in sent:
            data[peer] += event(10**15 + size, RECEIVE, WORLD, rank, size, tag)
        locations = [(rank + 1, 1, rank, "n", 500 + rank, 0, data[rank]) for rank in range(3)]
        out = tmp_path / str(number)
        names = [(rank + 1, 1, "/f") for rank in range(3)]
        assert export(write(tmp_path / f"{number}.trace.hr", locations, names), out) == ""
        decoded = Decoded(out)
        begun = [each for each in decoded.events if each["type"] == "begin"]
        ended = [each for each in decoded.events if each["type"] == "end"]
        assert [
            (b["tid"], b["time"], b["size"], b.get("offset"), e["time"], e["moved"])
            for b, e in zip(begun, ended, strict=True)
        ] == expected
        sizes = {each["flows"][0]: each["size"] for each in decoded.events if each["name"] == "send"}
        assert len(sizes) == len(sent)
        received = {each["ends"][0]: each["size"] for each in decoded.events if each["name"] == "receive"}
        assert sizes == received, "every message has the same id at both ends, and its own"


def test_threads_of_a_rank_share_channels(tmp_path: Path) -> None:
    """Which message is which is a matter of time, not of which thread stands first in the trace."""
    first = event(10, SEND, WORLD, 1, 1, 3) + event(40, SEND, WORLD, 1, 4, 3)
    second = event(20, SEND, WORLD, 1, 2, 3) + event(30, SEND, WORLD, 1, 3, 3)
    third = event(50, RECEIVE, WORLD, 0, 1, 3) + event(60, RECEIVE, WORLD, 0, 2, 3)
    fourth = event(70, RECEIVE, WORLD, 0, 3, 3) + event(80, RECEIVE, WORLD, 0, 4, 3)
    locations = [
        (1 + rank, thread, rank, "n", 500 + rank, 0, data)
        for rank, thread, data in ((0, 1, first), (0, 2, second), (1, 1, third), (1, 2, fourth))
    ]
    out = tmp_path / "out"
    trace = write(tmp_path / "t.trace.hr", locations)
    export(trace, out)
    events = Decoded(out).events
    sent = {each["flows"][0]: each["size"] for each in events if each["name"] == "send"}
    received = {each["ends"][0]: each["size"] for each in events if each["name"] == "receive"}
    assert sent == received
    assert len(sent) == 4
    export(trace, tmp_path / "one", "--rank", "1")
    one = [each for each in Decoded(tmp_path / "one").events if each["name"] == "receive"]
    assert {each["ends"][0]: each["size"] for each in one} == received, (
        "the ids do not depend on what is exported"
    )


def test_what_each_kind_becomes(tmp_path: Path) -> None:
    events = [
        event(1, ENTER, MPI_SEND),
        event(2, COLLECTIVE, WORLD, (1 << 32) - 1, 64, 128),
        event(3, COLLECTIVE, WORLD, 0, 1, 2),
        event(4, LEAVE, MPI_SEND, 0, 9),
        event(5, COUNTER, TEMPERATURE, 0, real(-0.5)),
    ]
    out = tmp_path / "out"
    export(write(tmp_path / "t.trace.hr", [(1, 1, -1, "", 2, 0, b"".join(events))]), out)
    found = Decoded(out).events
    assert "root" not in found[1]
    assert found[1].items() >= {"name": "collective", "sent": 64, "received": 128}.items()
    assert found[2]["root"] == 0
    assert found[3]["moved"] == 9
    assert found[4]["value"] == -0.5


def test_what_a_call_was_on_may_stand_at_its_end(tmp_path: Path) -> None:
    """As where a flush told its begin."""
    events = [
        event(1, BEGIN, WRITE, 0, 0, UNKNOWN),
        event(2, BEGIN, WRITE, 1, 8, 0),
        event(3, END, WRITE, 1, 8),
        event(4, END, WRITE, 1, 8),
    ]
    out = tmp_path / "out"
    trace = write(tmp_path / "t.trace.hr", [(1, 1, -1, "", 2, 0, b"".join(events))], [(1, 1, "/data/out")])
    export(trace, out)
    paths = [each.get("path") for each in Decoded(out).events]
    assert paths == [None, "/data/out", None, "/data/out"]


def test_a_time_span_has_no_arrows(tmp_path: Path) -> None:
    """Which message is which is known by counting them from the start."""
    out = tmp_path / "out"
    export(two_ranks(tmp_path / "job.trace.hr"), out, "--from", "1.00001")
    events = Decoded(out).events
    assert Counter(each["type"] for each in events)["begin"] == 4
    assert [each["time"] - 10**9 for each in events[:2]] == [10_000, 10_000]
    assert not any(each["flows"] or each["ends"] for each in events)


def test_hostile_names(tmp_path: Path) -> None:
    names = [b"nul\0inside", b"new\nline", b"\xff\xfe not UTF-8", b"x" * 65536, b"", b"y" * (3 << 20)]
    data = b"".join(
        event(10 * i, BEGIN, WRITE, 1 + i, 1, 0) + event(10 * i + 5, END, WRITE, 1 + i, 1)
        for i in range(len(names))
    )
    handles = [(1, 1 + i, name) for i, name in enumerate(names)]
    out = tmp_path / "out"
    export(write(tmp_path / "t.trace.hr", [(1, 1, 0, "ho\nst", 2, 0, data)], handles), out)
    paths = [each["path"] for each in Decoded(out).events if each["type"] == "begin"]
    expected = ["nul\\x00inside", "new\nline", "\\xff\\xfe not UTF-8", "x" * 65536, "file 5", "y" * (1 << 19)]
    assert paths == expected


def test_damage_is_told(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    damage(trace)
    assert "1 damaged chunk passed over" in export(trace, tmp_path / "out")
    assert [each["name"] for each in Decoded(tmp_path / "out").events] == ["receive"]


def test_what_is_there_stays(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    (tmp_path / "out").write_text("mine")
    (tmp_path / "directory").mkdir()
    command = ("trace", "export", trace, "--to", "perfetto", "-o")
    assert run(*command, tmp_path / "out").returncode == 4
    assert run(*command, tmp_path / "directory", "--force").returncode == 4
    assert (tmp_path / "out").read_text() == "mine"
    export(trace, tmp_path / "out", "--force")
    assert Decoded(tmp_path / "out").events


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    many = b"".join(event(10 * i, SEND, WORLD, 0, i * 7919, i) for i in range(100_000))
    trace = write(tmp_path / "t.trace.hr", [(1, 1, 0, "n", 2, 0, many)])
    done = subprocess.run(
        [sys.executable, "-m", "headrace", "trace", "export", trace, "--to=perfetto", "-o", tmp_path / "out"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode in (3, 4), done.stderr
    assert f"{tmp_path / 'out'}: " in done.stderr
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["t.trace.hr"]
