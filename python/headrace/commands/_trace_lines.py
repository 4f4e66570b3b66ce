"""How events look as lines, for people and for programs (docs/trace.md)."""

from __future__ import annotations

import errno
import json

from headrace import _native
from headrace.analysis.traces import Trace, location_name
from headrace.commands._text import exact_size, printable

# 255: it failed, and no errno says why.
_ERRORS = {**errno.errorcode, 255: "failed"}


def trace_lines(trace: Trace, as_json: bool) -> _native.TraceLines:
    if as_json:
        heads = [json.dumps(location_name(row))[1:-1] for row in trace.locations]
        return _native.TraceLines(heads, True, json.dumps, str, json.dumps, {})
    names = trace.names()
    room = max(map(len, names), default=0)
    heads = [f"{name:<{room}}" for name in names]
    return _native.TraceLines(heads, False, printable, exact_size, "{:g}".format, _ERRORS)
