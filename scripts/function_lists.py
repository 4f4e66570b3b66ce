"""Reads the X-macro lists of the native sources: functions.def, left_out.def and counters.def.

The lists are C source, but simple by convention: rows begin a line with `MACRO(`, their arguments are split
at commas outside parentheses and strings, and `#if __GLIBC_PREREQ(major, minor)` … `#endif` stands around the
rows of newer C libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Version = tuple[int, int]

FUNCTION_MACROS = ("FUNCTION", "SPECIAL", "UNDECLARED", "UNDECLARED_SPECIAL")
ALIAS_MACROS = ("ALIAS", "SPECIAL_ALIAS")
ROW = re.compile(r"^([A-Z][A-Z_]*)\(")
CONDITION = re.compile(r"^#if\s+__GLIBC_PREREQ\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*$")


class ListError(Exception):
    """A list that cannot be read; the message names file and line."""


@dataclass(frozen=True)
class Row:
    """One row of a list. `since` is the glibc version it needs, (0, 0) when any will do."""

    macro: str
    arguments: tuple[str, ...]
    since: Version
    place: str


def read_rows(path: Path, macros: tuple[str, ...]) -> list[Row]:
    """The rows of the list at `path`, in order; other macros than `macros` are errors."""
    text = path.read_text(encoding="utf-8")
    rows = []
    for line, macro, start, since in row_starts(path, text):
        place = f"{path.name}:{line}"
        if macro not in macros:
            raise ListError(f"{place}: unknown row {macro}: use one of {', '.join(macros)}")
        rows.append(Row(macro, split_arguments(text, start, place), since, place))
    return rows


def row_starts(path: Path, text: str) -> Iterator[tuple[int, str, int, Version]]:
    """(line, macro, where its arguments start, needed glibc version) of every row."""
    since: Version = (0, 0)
    depth = 0
    offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        condition = CONDITION.match(line)
        if condition:
            since, depth = (int(condition[1]), int(condition[2])), 1
        elif line.startswith("#if"):
            depth += 1 if depth else 0
        elif line.startswith("#else") and depth == 1:
            raise ListError(f"{path.name}:{number}: #else in a version condition: write a second #if")
        elif line.startswith("#endif") and depth:
            depth -= 1
            since = since if depth else (0, 0)
        match = ROW.match(line)
        if match:
            yield number, match[1], offset + match.end(), since
        offset += len(line)


def split_arguments(text: str, start: int, place: str) -> tuple[str, ...]:
    """The arguments of a macro call whose opening parenthesis ends at `start`; strings lose their quotes."""
    arguments, depth, quoted, begin = [], 0, False, start
    position = start
    while position < len(text):
        character = text[position]
        if quoted:
            position += 1 if character == "\\" else 0
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character == "(":
            depth += 1
        elif character == ")" and depth:
            depth -= 1
        elif character in ",)" and not depth:
            arguments.append(clean(text[begin:position]))
            begin = position + 1
            if character == ")":
                return tuple(arguments)
        position += 1
    raise ListError(f"{place}: the row has no closing parenthesis")


def clean(argument: str) -> str:
    argument = " ".join(argument.split())
    if argument.startswith('"'):
        return re.sub(r'\\(.)|"\s*"|"', lambda match: match[1] or "", argument)
    return argument
