"""`headrace trace export --to parquet`: tables that say what the trace has."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow.parquet
from commands import headrace as run
from made_traces import (
    BEGIN,
    COLLECTIVE,
    COUNTER,
    END,
    ENTER,
    LEAVE,
    MPI_SEND,
    OPEN,
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

TABLES = ["collectives", "counters", "functions", "handles", "locations", "messages", "spans"]


def export(trace: Path, out: Path, *options: str) -> str:
    """What it says on standard error."""
    done = run("trace", "export", trace, "--to", "parquet", "-o", out, *options)
    assert done.returncode == 0, done.stderr
    return done.stderr


def rows(out: Path, table: str) -> list[dict[str, Any]]:
    return list(pyarrow.parquet.read_table(out / f"{table}.parquet").to_pylist())


def test_tables_are_the_events(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert export(two_ranks(tmp_path / "job.trace.hr"), out) == ""
    assert sorted(path.stem for path in out.iterdir()) == TABLES
    names = {row["function"]: row["name"] for row in rows(out, "functions")}
    spans = rows(out, "spans")
    assert [(names[row["function"]], row["begin_ns"] - 10**9, row["duration_ns"]) for row in spans] == [
        ("open", 100, 1_000),
        ("write", 2_000, 20_000),
        ("write", 30_000, 1_000),
        ("MPI_Send", 50_000, 200),
        ("step", 0, 60_000),
    ]
    assert spans[2] == {
        "location": 0, "function": 1, "begin_ns": 1_000_030_000, "duration_ns": 1_000, "depth": 1,
        "handle": 1, "offset": 12288, "size": 100, "moved": 0, "error": 28, "whole": True,
    }  # fmt: skip
    assert (spans[0]["offset"], spans[0]["size"], spans[4]["size"], spans[4]["depth"]) == (None, 0, None, 0)
    world = next(number for number, name in names.items() if name == "MPI_COMM_WORLD")
    sent, received = rows(out, "messages")
    message = {"communicator": world, "tag": 3, "bytes": 8}
    assert sent == {**message, "location": 0, "time_ns": 1_000_050_100, "sent": True, "peer": 1}
    assert received == {**message, "location": 1, "time_ns": 1_000_060_000, "sent": False, "peer": 0}
    (value,) = rows(out, "counters")
    assert (names[value["counter"]], value["value"], value["location"]) == ("temperature", 36.6, 0)
    assert rows(out, "handles") == [{"process": 11, "handle": 1, "path": "/data/out"}]
    assert [(row["rank"], row["pid"], row["host"], row["events"]) for row in rows(out, "locations")] == [
        (0, 501, "n1", 12),
        (1, 502, "n1", 1),
    ]
    metadata = pyarrow.parquet.read_schema(out / "spans.parquet").metadata
    assert json.loads(metadata[b"headrace.trace"]) == {"start_utc_ns": "5"}


def test_duckdb_and_pandas_read_them(tmp_path: Path) -> None:
    """With the query that docs/interchange.md shows."""
    out = tmp_path / "out"
    export(two_ranks(tmp_path / "job.trace.hr"), out)
    page = (Path(__file__).parents[2] / "docs" / "interchange.md").read_text()
    query = page.split("```sql\n")[1].split("```")[0].replace("tables/", f"{out}/")
    assert duckdb.sql(query).fetchall() == [
        ("/data/out", "write", 2, 4096, 21_000),
        ("/data/out", "open", 1, 0, 1_000),
    ]
    assert pandas.read_parquet(out / "spans.parquet")["duration_ns"].sum() == 82_200


def test_they_agree_with_cat(tmp_path: Path) -> None:
    """Any balanced events: the same operations, messages, collectives, counters and regions."""
    chance = random.Random(20261123)
    for number in range(2):
        locations = []
        for rank in range(3):
            time, data, open_ = 0, b"", 0
            for _ in range(chance.randrange(150)):
                time += chance.choice([1, 7, 10**6, 10**12])
                what = chance.randrange(7)
                if what < 2:
                    function, size = chance.choice([WRITE, OPEN]), chance.choice([0, 1, 1 << 40])
                    offset = chance.choice([0, 1 << 50, UNKNOWN])
                    data += event(time, BEGIN, function, chance.randrange(4), size, offset)
                    data += event(time + 3, END, function, 0, size // 2, chance.choice([0, 5]))
                    time += 3
                elif what == 2:
                    data += event(time, ENTER, STEP)
                    open_ += 1
                elif what == 3 and open_:
                    data += event(time, LEAVE, STEP, 0, chance.randrange(9))
                    open_ -= 1
                elif what == 4:
                    data += event(time, COUNTER, TEMPERATURE, 0, real(chance.random()))
                elif what == 5:
                    data += event(time, SEND, WORLD, chance.randrange(3), chance.randrange(99), 5)
                else:
                    data += event(time, COLLECTIVE, WORLD, chance.choice([0, (1 << 32) - 1]), 4, 8)
            data += b"".join(event(time + 1 + i, LEAVE, STEP) for i in range(open_))
            locations.append((rank + 1, 1, rank, "n", 100 + rank, 0, data))
        trace = write(tmp_path / f"{number}.trace.hr", locations, [(1, 1, "/f")])
        out = tmp_path / str(number)
        assert export(trace, out) == ""
        printed = run("trace", "cat", "--json", trace).stdout
        cat = [json.loads(line) for line in printed.splitlines()]
        spans = rows(out, "spans")
        ranks = {row["location"]: row["rank"] for row in rows(out, "locations")}
        names = {row["function"]: row["name"] for row in rows(out, "functions")}
        key = ("offset", "size", "moved", "error", "duration_ns")
        assert sorted(
            (ranks[s["location"]], s["begin_ns"], names[s["function"]], *(str(s[k]) for k in key))
            for s in spans
            if names[s["function"]] != "step"
        ) == sorted(
            (c["rank"], c["time_ns"], c["name"], *(str(c[k]) for k in key)) for c in cat if c["kind"] == "io"
        )
        assert sorted(
            (ranks[s["location"]], s["begin_ns"] + s["duration_ns"], s["duration_ns"], s["moved"])
            for s in spans
            if names[s["function"]] == "step"
        ) == sorted(
            (c["rank"], c["time_ns"], c["duration_ns"], c["moved"]) for c in cat if c["kind"] == "leave"
        )
        assert sorted(
            (ranks[m["location"]], m["time_ns"], m["peer"], m["bytes"]) for m in rows(out, "messages")
        ) == (sorted((c["rank"], c["time_ns"], c["peer"], c["size"]) for c in cat if c["kind"] == "send"))
        assert sorted(
            (ranks[m["location"]], m["time_ns"], m["root"] is None, m["sent"], m["received"])
            for m in rows(out, "collectives")
        ) == sorted(
            (c["rank"], c["time_ns"], c["root"] is None, c["sent"], c["received"])
            for c in cat
            if c["kind"] == "collective"
        )
        assert sorted(
            (ranks[m["location"]], m["time_ns"], m["value"]) for m in rows(out, "counters")
        ) == sorted((c["rank"], c["time_ns"], c["value"]) for c in cat if c["kind"] == "counter")


def test_a_time_span_and_what_is_not_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    trace = two_ranks(tmp_path / "job.trace.hr")
    said = export(trace, out, "--rank", "0", "--from", "1.000010", "--until", "1.000035")
    assert "2 calls and regions open when the time span begins" in said
    first, second, step = rows(out, "spans")
    assert (first["begin_ns"], first["duration_ns"], first["whole"]) == (1_000_010_000, 12_000, False)
    assert (first["size"], first["offset"], first["moved"]) == (4096, 8192, 4096)
    assert second["whole"] is True
    assert (step["duration_ns"], step["moved"], step["whole"]) == (25_000, None, False)
    assert [row["rank"] for row in rows(out, "locations")] == [0]


def test_hostile_names(tmp_path: Path) -> None:
    names = [b"nul\0inside", b"new\nline", b"\xff\xfe not UTF-8", b"x" * 65536]
    data = b"".join(
        event(10 * i, BEGIN, WRITE, 1 + i, 1, 0) + event(10 * i + 5, END, WRITE, 1 + i, 1)
        for i in range(len(names))
    )
    handles = [(1, 1 + i, name) for i, name in enumerate(names)]
    out = tmp_path / "out"
    export(write(tmp_path / "t.trace.hr", [(1, 1, 0, "ho\nst", 2, 0, data)], handles), out)
    paths = [row["path"] for row in rows(out, "handles")]
    assert paths == ["nul\0inside", "new\nline", "\\xff\\xfe not UTF-8", "x" * 65536]


def test_damage_is_told(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    damage(trace)
    assert "1 damaged chunk passed over" in export(trace, tmp_path / "out")
    assert rows(tmp_path / "out", "spans") == []


def test_memory_does_not_grow_with_the_trace(tmp_path: Path) -> None:
    """The rows of two million events are 130 MB."""
    pair = [event(10 * i, ENTER, MPI_SEND) + event(10 * i + 5, LEAVE, MPI_SEND) for i in range(100_000)]
    part = b"".join(pair)
    write(tmp_path / "t.trace.hr", [(rank + 1, 1, rank, "n", 2, 0, part) for rank in range(10)])
    code = """
import resource, sys
import pyarrow.parquet
from headrace.commands import main
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    command = ["trace", "export", str(tmp_path / "t.trace.hr"), "--to=parquet", "-o", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, timeout=100, check=True
    )
    assert pyarrow.parquet.read_metadata(tmp_path / "out" / "spans.parquet").num_rows == 1_000_000
    assert int(done.stdout.split()[-1]) < 160 << 10, "KiB"


def test_what_is_there_stays(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x")
    command = ("trace", "export", trace, "--to", "parquet", "-o")
    assert run(*command, tmp_path / "out").returncode == 4
    assert run(*command, tmp_path / "out", "--force").returncode == 4
    export(trace, tmp_path / "new")
    export(trace, tmp_path / "new", "--force")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job.trace.hr", "new", "out"]


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    chance = random.Random(1)
    many = b"".join(event(10 * i, SEND, WORLD, 0, chance.getrandbits(60), i) for i in range(200_000))
    trace = write(tmp_path / "t.trace.hr", [(1, 1, 0, "n", 2, 0, many)])
    done = subprocess.run(
        [sys.executable, "-m", "headrace", "trace", "export", trace, "--to=parquet", "-o", tmp_path / "out"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18)),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert f"{tmp_path / 'out'}: cannot be written" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["t.trace.hr"]
