"""Events as lines, for people and for programs."""

from __future__ import annotations

import errno
import json
import math
from functools import lru_cache
from typing import Any

from headrace.commands._text import duration, exact_size, printable

Facts = dict[str, Any]

_UNKNOWN = (1 << 64) - 1
_NO_ROOT = (1 << 32) - 1
_IO = ("io", "io_begin", "io_end")

# The same few of millions of lines.
_text = lru_cache(4096)(printable)
_bytes = lru_cache(4096)(exact_size)


def _value(number: float) -> float | str:
    """JSON has finite numbers alone."""
    return number if math.isfinite(number) else json.dumps(number)


def json_row(row: Facts, location: Facts) -> Facts:
    """The keys of docs/trace.md."""
    kind = row["kind"]
    facts = {
        "time_ns": row["time_ns"],
        "rank": location["rank"] if location["rank"] >= 0 else None,
        "process": f"{location['process']:016x}",
        "pid": location["pid"],
        "thread": location["thread"],
        "kind": kind,
    }
    if kind in ("send", "receive"):
        return {
            **facts,
            "communicator": row["name"],
            "peer": row["other"],
            "tag": row["place"],
            "size": row["size"],
        }
    if kind == "collective":
        root = None if row["other"] == _NO_ROOT else row["other"]
        return {
            **facts,
            "communicator": row["name"],
            "root": root,
            "sent": row["size"],
            "received": row["place"],
        }
    if kind == "counter":
        return {**facts, "name": row["name"], "value": _value(row["size_as_f64"])}
    facts.update(layer=row["layer"], name=row["name"])
    if kind != "enter":
        facts["duration_ns"] = None if row["duration_ns"] == _UNKNOWN else row["duration_ns"]
    if kind == "leave":
        facts["moved"] = row["size"]
    if kind in _IO:
        facts.update(handle=row["other"], path=row["path"] or None)
    if kind in ("io", "io_begin"):
        facts.update(size=row["size"], offset=None if row["place"] == _UNKNOWN else row["place"])
    if kind in ("io", "io_end"):
        facts.update(moved=row["moved"], error=row["error"])
    return facts


def line(row: Facts, location: str) -> str:
    """`location` has the width of all of them."""
    seconds, rest = divmod(row["time_ns"], 10**9)
    return f"{seconds:>6}.{rest:09}  {location}  {_what(row)}"


def _what(row: Facts) -> str:
    kind, name = row["kind"], _name(row)
    if kind in _IO:
        return _operation(row, name)
    if kind in ("send", "receive"):
        whom = ("to" if kind == "send" else "from") + f" {row['other']}"
        return f"{kind} {row['size']:,} B {whom}, tag {row['place']}, {name}"
    if kind == "collective":
        root = "" if row["other"] == _NO_ROOT else f", root {row['other']}"
        return f"collective on {name}{root}: {row['size']:,} B sent, {row['place']:,} B received"
    if kind == "counter":
        return f"{name} = {row['size_as_f64']:g}"
    moved = f"  {_bytes(row['size'])}" if kind == "leave" and row["size"] else ""
    return f"{kind} {name}{moved}{_lasted(row)}"


def _name(row: Facts) -> str:
    return _text(row["name"]) if row["name"] else f"unknown {row['reference']:016x}"


def _operation(row: Facts, name: str) -> str:
    kind = row["kind"]
    parts = [{"io": name, "io_begin": f"begin {name}", "io_end": f"end {name}"}[kind]]
    if row["path"]:
        parts.append(_text(row["path"]))
    elif row["other"]:
        parts.append(f"file {row['other']}")
    asked, moved = row["size"], row["moved"]
    if kind == "io" and asked != moved:
        parts.append(f"{_bytes(moved)} of {_bytes(asked)}")
    elif asked or moved:
        parts.append(_bytes(asked or moved))
    if kind != "io_end" and row["place"] != _UNKNOWN:
        parts.append(f"at {row['place']:,}")
    text = "  ".join(parts) + _lasted(row)
    return text + (f"  {errno.errorcode.get(row['error'], row['error'])}" if row["error"] else "")


def _lasted(row: Facts) -> str:
    return "" if row["duration_ns"] == _UNKNOWN else f"  {duration(row['duration_ns'])}"
