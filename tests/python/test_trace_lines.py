"""What `headrace trace cat` prints of any event, against the same written in Python (trace_rows.py)."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path

from headrace import _native
from headrace.analysis.traces import Trace
from headrace.commands._trace_lines import trace_lines
from trace_rows import json_row, line

_NAMES = ["read", "MPI_Send", "größer \n\x1b[31m", "‮right", '"quoted"\\', b"\xff\xfe raw", "", "write"]
_KINDS = ["region", "function", "communicator", "counter"]
_NUMBERS = [0, 1, 7, 512, 999, 1000, 1023, 1024, 4096, 4097, 1 << 20, 999_499, 999_500, 10**9, (1 << 64) - 1]
_REALS = [0.0, -0.0, 1.5, 1e300, -1e-7, 123456789.0, float("inf"), float("-inf"), float("nan"), 0.1]


def made(path: Path, seed: int) -> Trace:
    some = random.Random(seed)
    references = [(some.choice(_KINDS), "posix", name, "write") for name in _NAMES]
    locations = []
    for process in range(1, 4):
        at, events = 5 * 10**8, b""
        for _ in range(400):
            at += some.choice([0, 3, 999, 1_000_499, 2 * 10**9, 200 * 10**9, 4000 * 10**9])
            kind, reference = some.randrange(8), some.randrange(len(_NAMES))
            size = struct.unpack("<Q", struct.pack("<d", some.choice(_REALS)))[0]
            if kind != 7:
                size = some.choice(_NUMBERS)
            place = some.choice([*_NUMBERS, 2, 28, 200])
            other = 0 if kind in (0, 1, 7) else some.choice([0, 1, 2, (1 << 32) - 1])
            if kind in (0, 1):
                place, size = 0, size if kind else 0
            events += struct.pack(
                "<QQQII", at, size, 0 if kind == 7 else place, kind << 24 | reference, other
            )
        locations.append((process, 1, process - 2, "host", 100 + process, 0, events))
    handles = [(1, 1, "/data/ä"), (2, 1, b"/raw/\xff"), (2, 2, "/tab\there")]
    _native.write_trace(bytes(path), locations, references, handles)
    return Trace(path)


def test_lines_are_those_of_python(tmp_path: Path) -> None:
    for seed in range(5):
        trace = made(tmp_path / f"{seed}.trace.hr", seed)
        everywhere = trace.choose(None, None)
        rows = trace.native.rows(everywhere).next(1 << 20).rows()
        names = trace.names()
        room = max(map(len, names))
        plain = [line(row, f"{names[row['location']]:<{room}}") for row in rows]
        as_json = [json_row(row, trace.locations[row["location"]]) for row in rows]
        count, text, _ = trace.native.rows(everywhere).lines(trace_lines(trace, False), 1 << 20)
        assert count == len(rows) > 1000
        assert text.split("\n") == [*plain, ""]
        count, text, _ = trace.native.rows(everywhere).lines(trace_lines(trace, True), 1 << 20)
        assert text.split("\n") == [*map(json.dumps, as_json), ""]


def test_lines_come_in_batches(tmp_path: Path) -> None:
    trace = made(tmp_path / "job.trace.hr", 9)
    rows, lines = trace.native.rows(trace.choose(None, None)), trace_lines(trace, False)
    counts = []
    while count := rows.lines(lines, 500)[0]:
        counts.append(count)
    assert counts == [500, 500, len(trace.native.rows(trace.choose(None, None)).next(1 << 20)) - 1000]
