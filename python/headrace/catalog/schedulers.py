"""Rows of `scheduler_jobs`: what records of all batch schedulers have in common.

Times without a zone are this machine's local time. sacct.py, accounting.py and job_csv.py read the forms.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from headrace._errors import CatalogError
from headrace.catalog.schema import TABLES

__all__ = ["NOTHING", "LeftOut", "Row", "kept", "moment", "whole_lines"]

Row = dict[str, Any]

NOTHING = ("", "Unknown", "None", "N/A", "NONE")
_TIMES = ("submit", "start", "end")
_INTEGERS = tuple(c.name for c in TABLES["scheduler_jobs"].columns if c.type == "int64")
_COUNTS = ("nodes", "cores", "processes")
_EARLIEST_S = 100_000_000  # 1973: what is less is no time since 1970, but a date or a duration
_OFF_S = 60  # by which an elapsed time may differ from that between the clock's times


class LeftOut:
    """Lines that cannot be used: the first one's sentence, and how many there are."""

    def __init__(self) -> None:
        self.first = ""
        self.count = 0

    def add(self, why: str) -> None:
        self.first = self.first or why
        self.count += 1


def whole_lines(lines: Iterable[str], left_out: LeftOut) -> Iterator[str]:
    """All but a last one that does not end: who writes the file may have got half of it there."""
    for number, line in enumerate(lines, 1):
        if line.endswith("\n"):
            yield line
        else:
            left_out.add(
                f"line {number}: does not end, so that it may be cut: add a line break if all of it is there"
            )


def kept(row: Row, place: str, elapsed_s: str | None = None) -> Row | None:
    """With times and numbers; None: the job never began. Raises CatalogError, with the place in the file."""
    if not row.get("job"):
        raise CatalogError(f"{place}: there is no job id")
    texts = {name: row.get(name) for name in _TIMES}
    row |= {name: moment(text, place, name) for name, text in texts.items()}
    if row["start"] is None:
        return None
    if row["end"] is not None:
        row["start"], row["end"] = _fitted(row["start"], row["end"], texts, place, elapsed_s)
        if row["end"] < row["start"]:
            raise CatalogError(f"{place}: the job ends before it starts")
    for name in _INTEGERS:
        row[name] = _integer(row.get(name), place, name)
        if name in _COUNTS and (row[name] or 0) < 0:
            raise CatalogError(f"{place}: {name} is {row[name]}, which is no number of them")
    return row


_Span = tuple[datetime.datetime, datetime.datetime]


def _fitted(
    start: datetime.datetime, end: datetime.datetime, texts: Row, place: str, elapsed_s: str | None
) -> _Span:
    """Start and end; where a clock was put back, there are two moments of one local time.

    Those are meant that are so far from each other as the job took, else the first that make sense.
    """
    elapsed = float(elapsed_s) if elapsed_s and elapsed_s.isdecimal() else None
    off = 0.0 if elapsed is None else abs((end - start).total_seconds() - elapsed)
    if end >= start and off <= _OFF_S:
        return start, end
    starts, ends = (
        [moment(texts[name], place, name, fold) or start for fold in (0, 1)] for name in ("start", "end")
    )
    spans = [span for span in itertools.product(starts, ends) if span[1] >= span[0]]
    if not spans or elapsed is None:
        return next(iter(spans), (start, end))
    return min(spans, key=lambda span: abs((span[1] - span[0]).total_seconds() - elapsed))


def moment(text: Any, place: str, what: str, fold: int = 0) -> datetime.datetime | None:
    """Seconds since 1970, or a date and time; 0 stands for none. `fold`: 1 is the later of two moments that a
    local time means when a clock is put back. Raises CatalogError."""
    if text is None or text in NOTHING:
        return None
    text = str(text)
    date = re.fullmatch(r"(\d{4})(\d\d)(\d\d)", text)
    try:
        if not date and re.fullmatch(r"-?\d+(\.\d+)?", text):
            return _since_1970(float(text))
        form = "-".join(date.groups()) if date else text.replace("Z", "+00:00")
        local = datetime.datetime.fromisoformat(form).replace(fold=fold)
        return local.astimezone(datetime.timezone.utc)
    except (ValueError, OverflowError, OSError) as error:
        raise CatalogError(f"{place}: {what} is no time: {text[:60]!r}") from error


def _since_1970(seconds: float) -> datetime.datetime | None:
    if seconds == 0:
        return None
    if seconds < _EARLIEST_S:
        raise ValueError
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)


def _integer(text: Any, place: str, what: str) -> int | None:
    if text is None or text in NOTHING:
        return None
    try:
        number = _counted(str(text))
        if not -(2**63) < number < 2**63:
            raise ValueError
        return number
    except (ValueError, OverflowError) as error:
        raise CatalogError(f"{place}: {what} is no number: {str(text)[:60]!r}") from error


def _counted(text: str) -> int:
    """Older versions of sacct count nodes and processors by the K and M."""
    units = {"K": 1 << 10, "M": 1 << 20}
    if text[-1] in units:
        return int(float(text[:-1]) * units[text[-1]])
    return int(text)
