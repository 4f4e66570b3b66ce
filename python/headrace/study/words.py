"""Numbers as the words of a study have them."""

from __future__ import annotations

from datetime import datetime

__all__ = ["count", "moment", "number", "percent", "rate", "size"]


def number(value: float) -> str:
    """Whole numbers in full, others with three significant digits."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def count(value: int, one: str, many: str = "") -> str:
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def size(value: float) -> str:
    """Bytes in the unit that gives one to four digits, three of them significant."""
    amount = float(value)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        text = f"{amount:.0f}" if abs(amount) >= 999.5 else f"{amount:.3g}"
        if abs(float(text)) < 1024 or unit == "PiB":
            break
        amount /= 1024
    return f"{text} {unit}"


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


def moment(when: datetime) -> str:
    """A point in time in UTC; a day where it is midnight."""
    return when.strftime("%Y-%m-%d" if not (when.hour or when.minute or when.second) else "%Y-%m-%d %H:%M")
