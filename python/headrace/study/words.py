"""Numbers as the words of a study have them."""

from __future__ import annotations

from datetime import datetime

from headrace.text import significant, size

__all__ = ["change", "moment", "number", "percent", "percent_first", "rate", "told"]


def number(value: float) -> str:
    """Whole numbers in full, others with three significant digits."""
    if value == int(value):
        return f"{int(value):,}"
    return significant(value)


def rate(value: float) -> str:
    return size(value) + "/s"


def percent(share: float) -> str:
    """Neither nothing nor all is said of what is only nearly so."""
    value = share * 100
    if 0 < value < 0.05:
        return "less than 0.1 %"
    if 99.95 <= value < 100:
        return "more than 99.9 %"
    if value == int(value):
        return f"{int(value):,} %"
    return f"{value:.1f} %" if abs(value) < 9.95 or 99 < value < 100 else f"{value:,.0f} %"


def percent_first(share: float) -> str:
    """The same at the begin of a sentence."""
    text = percent(share)
    return text[:1].upper() + text[1:]


def moment(when: datetime) -> str:
    """A point in time in UTC; a day where it is midnight."""
    return when.strftime("%Y-%m-%d" if not (when.hour or when.minute or when.second) else "%Y-%m-%d %H:%M")


def told(value: float, unit: str) -> str:
    """A number in a unit of figures: "bytes", "bytes/s", "share", or any other, which is not said."""
    said = {"bytes": size, "bytes/s": rate, "share": percent}.get(unit, number)
    return said(value)


def change(first: float, second: float, unit: str) -> str:
    """From the first to the second: by how much, and in per cent of the first, where that is not 0.

    Of less than 0.1 % only that is told, since both numbers look the same.
    """
    by = second - first
    if by == 0:
        return "no difference"
    part = percent(abs(by / first)) if first else ""
    if part.startswith("less"):
        return f"{part} {'more' if by > 0 else 'less'}"
    sign = "+" if by > 0 else "-"
    amount = f"{significant(abs(by) * 100)} points" if unit == "share" else told(abs(by), unit)
    return f"{sign}{amount}" + (f" ({sign}{part})" if part else "")
