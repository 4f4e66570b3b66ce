"""How events look as lines, for people and for programs (docs/trace.md)."""

from __future__ import annotations

import errno
import json
from typing import Any

from headrace import _native
from headrace.analysis.traces import Trace, location_name
from headrace.commands._text import exact_size, printable

# 255: it failed, and no errno says why.
_ERRORS = {**errno.errorcode, 255: "failed"}


def _called(name: str, row: dict[str, Any]) -> str:
    """With the thread's own name, or the command of a process that no rank tells."""
    called = row["thread_name"] or (row["command"] if row["rank"] < 0 else "")
    return f"{name} {printable(called[:16])}" if called else name


def trace_lines(trace: Trace, as_json: bool) -> _native.TraceLines:
    if as_json:
        heads = [json.dumps(location_name(row))[1:-1] for row in trace.locations]
        return _native.TraceLines(heads, True, json.dumps, str, json.dumps, {})
    names = [_called(name, row) for name, row in zip(trace.names(), trace.locations, strict=True)]
    room = max(map(len, names), default=0)
    heads = [f"{name:<{room}}" for name in names]
    return _native.TraceLines(heads, False, printable, exact_size, "{:g}".format, _ERRORS)
