"""`headrace.open_trace`, on traces of known content, and the Python code of docs/trace.md."""

from __future__ import annotations

import re
from pathlib import Path

import headrace
import pytest
from headrace import LogNotFoundError, UsageError
from made_traces import damage, two_ranks

DOCUMENT = Path(__file__).parents[2] / "docs/trace.md"


@pytest.fixture
def trace(tmp_path: Path) -> headrace.Trace:
    return headrace.open_trace(two_ranks(tmp_path / "job.trace.hr"))


def test_events_are_dicts_by_time(trace: headrace.Trace) -> None:
    events = list(trace.events())
    assert [event["kind"] for event in events[:4]] == ["enter", "io", "io", "io"]
    assert events[2] == {
        "time_ns": 1_000_002_000, "location": 0, "kind": "io", "layer": "posix", "name": "write",
        "reference": events[2]["reference"], "path": "/data/out", "other": 1, "size": 4096, "place": 8192,
        "moved": 4096, "error": 0, "duration_ns": 20_000,
    }  # fmt: skip
    assert events[1]["place"] is None
    assert events[0]["duration_ns"] is None
    assert [event["value"] for event in events if event["kind"] == "counter"] == [36.6]
    assert [event["location"] for event in trace.events(locations=[1])] == [1]
    assert [event["name"] for event in trace.events(1_000_030_000, 1_000_040_000)] == ["write", "temperature"]


def test_batches_have_the_same_as_columns(trace: headrace.Trace) -> None:
    batches = list(trace.batches(rows=3))
    assert [batch.num_rows for batch in batches] == [3, 3, 3, 1]
    times = [time for batch in batches for time in batch.column("time_ns").to_pylist()]
    assert times == [event["time_ns"] for event in trace.events()]
    assert batches[0].column("place").to_pylist() == [0, None, 8192]
    assert batches[0].column("duration_ns").null_count == 1


def test_messages_have_both_ends(trace: headrace.Trace) -> None:
    (message,) = trace.messages().to_pylist()
    assert message == {
        "sent_at_ns": 1_000_050_100, "received_at_ns": 1_000_060_000, "from_location": 0, "to_location": 1,
        "from_rank": 0, "to_rank": 1, "communicator": "MPI_COMM_WORLD", "tag": 3, "bytes_sent": 8,
        "bytes_received": 8,
    }  # fmt: skip
    assert trace.messages(end_at_ns=1_000_050_000).num_rows == 0
    damage(Path(trace.path))
    (half,) = headrace.open_trace(trace.path).messages().to_pylist()
    assert (half["sent_at_ns"], half["from_location"], half["received_at_ns"]) == (None, None, 1_000_060_000)


def test_functions_and_stats(trace: headrace.Trace) -> None:
    rows = {row["name"]: row for row in trace.functions()}
    assert (rows["write"]["calls"], rows["write"]["errors"], rows["write"]["bytes"]) == (2, 1, 4096)
    assert trace.stats()["events"] == 13
    assert "13 events of 2 locations" in repr(trace)


def test_damage_is_told(tmp_path: Path) -> None:
    path = two_ranks(tmp_path / "job.trace.hr")
    damage(path)
    trace = headrace.open_trace(path)
    assert trace.damage == []
    assert [event["location"] for event in trace.events()] == [1]
    assert [place.reason for place in trace.damage] == [
        "chunk payload fails its checksum; 12 events of rank 0, thread 1"
    ]


def test_what_makes_no_sense_is_said(trace: headrace.Trace, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no location 2"):
        list(trace.events(locations=[2]))
    with pytest.raises(UsageError, match="2\\^64"):
        list(trace.batches(-1))
    with pytest.raises(LogNotFoundError):
        headrace.open_trace(tmp_path / "none")
    with pytest.raises(UsageError, match="numbered from 1"):
        headrace.open_trace(trace.path, 0)


def test_the_code_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    two_ranks(tmp_path / "job.trace.hr")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, "docs/trace.md", "exec"), {})
    assert "/data/out" in capsys.readouterr().out
