"""Patterns of hosts and devices as of a shell, and as regular expressions of Python, DuckDB and Spark."""

from __future__ import annotations

import re

from headrace._errors import UsageError

_CLASS = r"\[!?(?:\w-\w|[\w:])+\]"
_PATTERN = re.compile(
    rf"(?:[\w.:+@%#=,~/ -]|[*?]|{_CLASS})*"
)  # nothing that regular expressions mean otherwise
_CHANGES = ((".", "[.]"), ("+", "[+]"), ("*", ".*"), ("?", "."), ("[!", "[^"))


def check(pattern: str) -> None:
    """Raises UsageError for what is no pattern: with a bracket that does not end, or a range of nothing."""
    if _PATTERN.fullmatch(pattern):
        try:
            re.compile(regular(pattern))
            return
        except re.error:
            pass
    raise UsageError(f"{pattern!r} is no pattern of names: these have *, ?, [abc], [a-z] and [!a-z]")


def regular(pattern: str) -> str:
    """A regular expression of the same whole names."""
    for old, new in _CHANGES:
        pattern = pattern.replace(old, new)
    return f"^{pattern}$"


def sql(column: str) -> str:
    """The same by SQL, of a column's patterns."""
    for old, new in _CHANGES:
        column = f"replace({column}, '{old}', '{new}')"
    return f"'^' || {column} || '$'"
