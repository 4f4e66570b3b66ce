"""Changes as text: with their sign, and against what was before."""

from __future__ import annotations

from collections.abc import Callable

from headrace.commands._text import NONE, duration
from headrace.text import significant, size

MINUS = "\u2212"


def amount(value: float, unit: str) -> str:
    """A figure in its unit ("ns", "bytes" or "count"), below 0 with a minus sign."""
    return f"{MINUS}{_plain(-value, unit)}" if value < 0 else _plain(value, unit)


def change(value: float, unit: str) -> str:
    """The same with a plus sign; "=" for none."""
    if value == 0:
        return "="
    return f"+{_plain(value, unit)}" if value > 0 else f"{MINUS}{_plain(-value, unit)}"


def _plain(value: float, unit: str) -> str:
    said: dict[str, Callable[[float], str]] = {"ns": duration, "bytes": size, "count": _count}
    return said[unit](value)


def _count(value: float) -> str:
    """Means of several runs need not be whole."""
    return f"{value:,.0f}" if float(value).is_integer() or value >= 100 else f"{value:,.1f}"


def against(before: float, after: float) -> str:
    """How much more or less than before: in percent, beyond ten times as a factor ("\u00d712")."""
    if before == after:
        return ""
    if before <= 0 or after < 0:
        return NONE
    if after >= 10 * before:
        return f"\u00d7{_factor(after / before)}"
    if after > 0 and before >= 10 * after:
        return f"\u00f7{_factor(before / after)}"
    share = (after - before) / before
    return ("+" if share > 0 else MINUS) + _percent(abs(share))


def _percent(value: float) -> str:
    return f"{value * 100:.1f} %" if value < 0.0995 else f"{value * 100:.0f} %"


def _factor(value: float) -> str:
    return significant(value, 2)


def share(value: float | None) -> str:
    """A part of a whole change; against its direction it is negative."""
    if value is None:
        return NONE
    return (MINUS if value < 0 else "") + _percent(abs(value))
