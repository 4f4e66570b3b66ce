"""Numbers in words: the forms that several parts of Headrace share. None has an exponent."""

from __future__ import annotations

from decimal import Decimal

__all__ = ["chance", "count", "every", "lasting", "significant", "size", "three_digits"]

_LEAST_CHANCE = 1e-4


def significant(value: float, digits: int = 3) -> str:
    """So many significant digits, but never fewer than the whole ones: "0.0000192", "2.5", "12,346"."""
    if abs(value) >= 10**digits - 0.5:
        return f"{value:,.0f}"
    return f"{Decimal(f'{value:.{digits}g}'):f}"


def count(value: int, one: str, many: str = "") -> str:
    """A number and what it counts: "1 file", "2 files"."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def size(value: float) -> str:
    """Bytes in the unit that gives one to four digits, three of them significant."""
    amount = float(value)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        text = three_digits(amount)
        # What is rounded up to the next unit is said in it.
        if abs(float(text)) < 1024 or unit == "PiB":
            break
        amount /= 1024
    return f"{text} {unit}"


def three_digits(value: float) -> str:
    """As a unit follows: without commas, so that it is a number for programs too."""
    return significant(value).replace(",", "")


def chance(p: float) -> str:
    """The p-value of a test, as it is printed: "p = 0.031", "p < 0.0001"."""
    return f"p < {_LEAST_CHANCE:f}".rstrip("0") if p < _LEAST_CHANCE else f"p = {significant(p, 2)}"


def every(amount: int, one: str, many: str = "") -> str:
    """All of them, where that is one, too: "the only large job", "all 12 large jobs"."""
    return f"the only {one}" if amount == 1 else f"all {amount:,} {many or one + 's'}"


def lasting(ns: float) -> str:
    """A time that may be days: "1.66 s", "3 min 20 s", "12 h", "40 days"."""
    seconds = abs(ns) / 1e9
    if seconds < 120:
        return f"{significant(seconds) if seconds < 99.95 else f'{seconds:.0f}'} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60:02} s" if whole % 60 else "")
    if whole < 48 * 3600:
        return f"{whole // 3600} h" + (f" {whole // 60 % 60:02} min" if whole // 60 % 60 else "")
    return f"{whole // 86400} days"
