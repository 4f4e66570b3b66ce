"""Other forms of sacct's table as lines of `sacct -P`: another mark between columns, or a fixed width."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

__all__ = ["is_table", "names_jobs", "plain"]

_MARKS = ",;\t^~"  # ":" is in every time
_BAR = "\x1f"  # in place of a bar inside of a column
_DASHES = re.compile(r"-+")
_IDS = ("JobID", "JobIDRaw")

Swap = dict[int, str]


def names_jobs(names: list[str]) -> bool:
    return "Start" in names and bool(set(_IDS) & set(names))


def is_table(first: str, second: str) -> bool:
    return _mark_of(first) is not None or _is_fixed(first, second)


def plain(lines: Iterable[str]) -> tuple[Iterator[str], Swap]:
    """Lines with "|" between columns, as many as there were; and what puts the marks in their values back."""
    rest = iter(lines)
    begin: list[str] = []
    for line in rest:
        begin.append(line)
        if line.strip():
            break
    first = begin[-1] if begin else ""
    if (mark := _mark_of(first)) is not None:
        swap = {ord(mark): "|", ord("|"): mark}
        return (line.translate(swap) for line in itertools.chain(begin, rest)), swap
    second = list(itertools.islice(rest, 1))
    if second and _is_fixed(first, second[0]):
        places = [match.span() for match in _DASHES.finditer(second[0])]
        names = [first[begin:end].strip() for begin, end in places]
        head = [*("\n" for _ in begin[:-1]), "|".join(names) + "\n", "\n"]
        records = (_record(line, places, names) for line in rest)
        return itertools.chain(head, records), {ord(_BAR): "|"}
    return itertools.chain(begin, second, rest), {}


def _mark_of(first: str) -> str | None:
    line = first.strip("\r\n\ufeff")
    return next((mark for mark in _MARKS if mark in line and names_jobs(line.split(mark))), None)


def _is_fixed(first: str, second: str) -> bool:
    dashes = second.split()
    return bool(dashes) and all(set(each) == {"-"} for each in dashes) and names_jobs(first.split())


def _record(line: str, places: list[tuple[int, int]], names: list[str]) -> str:
    """What sacct cut ends in a "+" at the end of its column: then nobody knows the value."""
    text, values = line.rstrip("\r\n").replace("|", _BAR), []
    if not text.strip():
        return "\n"
    for (begin, end), name in zip(places, names, strict=True):
        value = text[begin:end]
        is_cut = len(value) == end - begin and value.endswith("+") and not (name in _IDS and "." in value)
        values.append("" if is_cut else value.strip())
    return "|".join(values) + ("\n" if line.endswith("\n") else "")
