"""Moments as texts that keep all their digits: many readers of JSON do not keep 64 bits of a number."""

from __future__ import annotations

from datetime import datetime, timezone

_LATEST = 253402300799  # s, of the year 9999


def utc_text(utc_ns: int | None) -> str | None:
    """ "2026-11-23T12:26:53.779209232Z" of nanoseconds since 1970; None of what is no such moment."""
    if utc_ns is None or not 0 <= utc_ns // 10**9 <= _LATEST:
        return None
    return f"{datetime.fromtimestamp(utc_ns // 10**9, timezone.utc):%Y-%m-%dT%H:%M:%S}.{utc_ns % 10**9:09}Z"
