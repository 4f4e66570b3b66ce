"""Figures and names as terminal text.

Names come from programs that may be hostile: `printable` is the one way by which they reach a terminal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from headrace.text import count, size, three_digits

LIBRARY_NAMES = {"hdf5": "HDF5", "pnetcdf": "PnetCDF", "mpiio": "MPI-IO"}
NONE = "\u2013"  # in place of a figure that does not exist
_PLAIN = str.maketrans(
    {
        "\u2013": "-",
        "\u2212": "-",
        "…": "...",
        "µ": "u",
        "≤": "<=",
        "·": ";",
        "→": "->",
        "\u00d7": "x",
        "\u00f7": "1/",
    }
)
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_RIGHT_TO_LEFT = {"R", "AL", "AN"}


def printable(text: str) -> str:
    """The text without all that could move the cursor, break the line or change its direction.

    Control and format characters, separators but the space, unassigned ones, and letters of right-to-left
    scripts (which would reorder the figures beside them) become ``\\n``, ``\\x1b`` or ``\\u202e``.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if _is_plain(character) else _escape(character) for character in text)


def _is_plain(character: str) -> bool:
    return character.isprintable() and unicodedata.bidirectional(character) not in _RIGHT_TO_LEFT


def _escape(character: str) -> str:
    number = ord(character)
    short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(number)
    return short or (
        f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"
    )


def to_ascii(line: str) -> str:
    """A line of ours for a terminal without Unicode; what remains in names becomes escapes."""
    return line.translate(_PLAIN).encode("ascii", "backslashreplace").decode()


def width(text: str) -> int:
    """Columns of a terminal that printable text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten_left(text: str, columns: int | None, mark: str = "…") -> str:
    """The end of a name, which tells most; all of it when `columns` is None or enough."""
    if columns is None or width(text) <= columns:
        return text
    room = max(1, columns - width(mark))
    kept = ""
    for character in reversed(text):
        room -= _columns(character)
        if room < 0:
            break
        kept = character + kept
    return mark + kept


def shorten_right(text: str, columns: int | None, mark: str = "…") -> str:
    if columns is None or width(text) <= columns:
        return text
    kept, room = "", max(1, columns - width(mark))
    for character in text:
        room -= _columns(character)
        if room < 0:
            break
        kept += character
    return kept + mark


def clip(line: str, columns: int | None) -> str:
    """A line of ours, with its colours, in so many columns."""
    if columns is None or len(line) <= columns or width(plain := _COLOUR.sub("", line)) <= columns:
        return line
    colours = _COLOUR.findall(line)
    cut = shorten_right(plain, columns)
    return colours[0] + cut + colours[-1] if colours and line.startswith(colours[0]) else cut


def number(value: int) -> str:
    return f"{value:,}"


NOT_RECORDED = "not recorded"


def if_recorded(value: Any, form: Callable[[Any], str]) -> str:
    """A figure that is None where the source of the log did not record it."""
    return NOT_RECORDED if value is None else form(value)


def calls(value: int) -> str:
    return count(value, "call")


def files_counted(files: int, are: str) -> str:
    """`are`: how well the number is known, as analysis.kinds.CERTAINTY says; estimates have two digits."""
    if are == "estimated":
        return "about " + count(int(float(f"{files:.2g}")), "file")
    return ("at most " if are == "at most" else "") + count(files, "file")


def files_and_directories(figures: dict[str, Any]) -> str:
    """A directory is no file, and said apart."""
    files, directories = files_counted(figures["files"], figures["files_are"]), figures["directories"]
    return f"{files}, {count(directories, 'directory', 'directories')}" if directories else files


def exact_size(value: int) -> str:
    """Bytes without rounding: a program that reads 4097 does something else than one that reads 4 KiB."""
    short = size(value)
    number_, unit = short.split(" ")
    whole = value == int(float(number_)) << 10 * ("B", "KiB", "MiB", "GiB", "TiB", "PiB").index(unit)
    return short if whole and float(number_).is_integer() else f"{value:,} B"


def duration(nanoseconds: float) -> str:
    value = float(nanoseconds)
    for unit in ("ns", "µs", "ms"):
        text = f"{value:.0f}" if unit == "ns" else three_digits(value)
        if abs(float(text)) < 1000:
            return f"{text} {unit}"
        value /= 1e3
    if abs(value) < 120:
        return f"{three_digits(value)} s"
    sign = "-" if value < 0 else ""
    minutes, seconds = divmod(round(abs(value)), 60)
    hours, minutes = divmod(minutes, 60)
    return sign + (f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s")


def percent(share: float | None) -> str:
    """Rounded, but neither nothing nor all is said of what is only nearly so."""
    if share is None:
        return NONE
    value = share * 100
    if 0 < value < 0.1:
        return "< 0.1 %"
    if 99 < value < 100:
        return "> 99 %"
    return f"{value:.1f} %" if value < 9.95 else f"{value:.0f} %"


def bar(value: float, greatest: float, columns: int, unicode: bool = True) -> str:
    """A bar of at most `columns`; anything above 0 shows."""
    if greatest <= 0 or value <= 0:
        return ""
    if not unicode:
        return "#" * max(1, round(value / greatest * columns))
    eighths = max(1, round(value / greatest * columns * 8))
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (" ▏▎▍▌▋▊▉"[rest] if rest else "")


def sparkline(values: Sequence[float], unicode: bool = True) -> str:
    """One character a value; 0 is a space, anything above shows."""
    marks = "▁▂▃▄▅▆▇█" if unicode else ".:-=+*#@"
    greatest = max(values, default=0)
    if greatest <= 0:
        return " " * len(values)
    last = len(marks) - 1
    return "".join(
        marks[min(last, int(value / greatest * len(marks)))] if value > 0 else " " for value in values
    )
