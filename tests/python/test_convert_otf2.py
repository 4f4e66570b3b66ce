"""`headrace convert --to trace` of OTF2 archives: what was exported comes back, and damage is an error."""

from __future__ import annotations

import json
import random
import shutil
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
    OPEN,
    RECEIVE,
    SEND,
    STEP,
    TEMPERATURE,
    UNKNOWN,
    WORLD,
    WRITE,
    event,
    real,
    two_ranks,
    write,
)

NO_ROOT = (1 << 32) - 1


def rows(trace: Path) -> list[dict[str, Any]]:
    """What `cat` prints; handles are numbered anew."""
    printed = run("trace", "cat", "--json", trace)
    assert printed.returncode == 0, printed.stderr
    found = [json.loads(line) for line in printed.stdout.splitlines()]
    return [{key: value for key, value in row.items() if key != "handle"} for row in found]


def there_and_back(trace: Path, *options: str) -> Path:
    archive, back = trace.with_suffix(".otf2.d"), trace.with_suffix(".back")
    exported = run("trace", "export", trace, "--to", "otf2", "-o", archive, *options)
    assert exported.returncode == 0, exported.stderr
    converted = run("convert", archive / "traces.otf2", "--to", "trace", "-o", back)
    assert (converted.returncode, converted.stderr) == (0, "")
    return back


def test_what_was_exported_comes_back(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    back = there_and_back(trace)
    assert rows(back) == rows(trace)
    before, after = (json.loads(run("trace", "info", "--json", each).stdout) for each in (trace, back))
    for key in ("start_utc_ns", "begin_at_ns", "end_at_ns", "events", "rank_list", "hosts", "processes"):
        assert after[key] == before[key]
    assert run("trace", "verify", back).returncode == 0


def test_a_time_span_keeps_its_times(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "job.trace.hr")
    found = rows(there_and_back(trace, "--from", "1.00004", "--rank", "0"))
    assert found[1:-1] == rows(trace)[4:-2]
    assert (found[0]["name"], found[0]["time_ns"], found[-1]["duration_ns"]) == (
        "step",
        1_000_040_000,
        20_000,
    )


def test_any_balanced_events_come_back(tmp_path: Path) -> None:
    chance = random.Random(20261123)
    for number in range(4):
        locations = []
        for rank in range(3):
            time, data, open_ = 0, b"", []
            for _ in range(chance.randrange(150)):
                time += chance.choice([1, 7, 10**6, 10**12])
                what = chance.randrange(8)
                if what < 2:
                    function, handle = chance.choice([WRITE, OPEN]), chance.choice([0, 1, 2])
                    size, offset = chance.choice([0, 1, 1 << 40]), chance.choice([0, 1 << 50, UNKNOWN])
                    data += event(time, BEGIN, function, handle, size, offset)
                    data += event(time + 3, END, function, handle, size // 2, chance.choice([0, 5]))
                    time += 3
                elif what == 2:
                    open_.append(chance.choice([STEP, MPI_SEND]))
                    data += event(time, ENTER, open_[-1])
                elif what == 3 and open_:
                    data += event(time, LEAVE, open_.pop(), 0, chance.randrange(9))
                elif what == 4:
                    data += event(time, COUNTER, TEMPERATURE, 0, real(chance.random()))
                elif what == 5:
                    data += event(time, SEND, WORLD, chance.randrange(3), chance.randrange(99), 5)
                elif what == 6:
                    data += event(time, RECEIVE, WORLD, chance.randrange(3), chance.randrange(99), 5)
                elif open_:
                    data += event(time, ENTER, MPI_SEND)
                    data += event(time + 2, COLLECTIVE, WORLD, chance.choice([0, NO_ROOT]), 4, 8)
                    data += event(time + 2, LEAVE, MPI_SEND)
                    time += 2
                else:
                    data += event(time, COLLECTIVE, WORLD, chance.choice([0, NO_ROOT]), 4, 8)
            data += b"".join(event(time + 1 + i, LEAVE, each) for i, each in enumerate(reversed(open_)))
            locations.append((rank + 1, 1, rank, "n", 100 + rank, 0, data))
        names = [(rank + 1, 1 + i, f"/f{i}") for rank in range(3) for i in range(2)]
        trace = write(tmp_path / f"{number}.hr", locations, names)
        assert rows(there_and_back(trace)) == rows(trace)


def test_damaged_archives_are_errors(tmp_path: Path) -> None:
    """The library crashes on some; that is one line too."""
    trace = two_ranks(tmp_path / "job.trace.hr")
    archive = tmp_path / "sound"
    run("trace", "export", trace, "--to", "otf2", "-o", archive)
    chance = random.Random(20261123)
    for _ in range(12):
        damaged = tmp_path / "damaged"
        shutil.copytree(archive, damaged)
        files = sorted(path for path in damaged.rglob("*") if path.is_file())
        path = chance.choice(files)
        data = bytearray(path.read_bytes())
        for _ in range(chance.randrange(1, 5)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data[: chance.choice([len(data), len(data) // 2])])
        out = tmp_path / "out"
        done = run("convert", damaged / "traces.otf2", "--to", "trace", "-o", out)
        assert done.returncode in (0, 3), done.stderr
        assert done.returncode == 0 or done.stderr.count("\n") == 1
        assert out.exists() == (done.returncode == 0)
        out.unlink(missing_ok=True)
        shutil.rmtree(damaged)


def test_what_makes_no_sense(tmp_path: Path) -> None:
    missing = run("convert", tmp_path / "no.otf2", "--to", "trace", "-o", tmp_path / "x")
    assert missing.returncode == 3
    (tmp_path / "empty.otf2").write_text("")
    assert run("convert", tmp_path / "empty.otf2", "--to", "trace", "-o", tmp_path / "x").returncode == 3
    assert not (tmp_path / "x").exists()
