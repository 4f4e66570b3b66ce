"""The project map: which paths, users and groups belong to which project (docs/scan.md)."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from headrace._errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Rule", "read_rules"]

_COLUMNS = ("project", "label", "account", "user", "group", "path")


class Rule(NamedTuple):
    """Files belong to the project of the last rule that fits; "" fits all."""

    project: str
    user: str
    group: str
    path: str


def read_rules(map_file: str) -> list[Rule]:
    """Of a TOML or CSV file those rows that say something of files. UsageError: with file and place."""
    try:
        text = Path(map_file).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{map_file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{map_file}: byte {error.start} is not UTF-8: a project map is TOML or CSV"
        ) from error
    is_toml = map_file.endswith(".toml")
    rows = _toml_rows(map_file, text) if is_toml else _csv_rows(map_file, text)
    rules = [_rule(place, row) for place, row in rows]
    return [rule for rule in rules if rule.user or rule.group or rule.path]


def _toml_rows(map_file: str, text: str) -> Iterable[tuple[str, dict[str, Any]]]:
    try:
        found = tomllib.loads(text).get("projects")
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{map_file}: {error}") from error
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise UsageError(f"{map_file}: it is to have a table [[projects]] for each row")
    return [(f"{map_file}: [[projects]] number {i}", row) for i, row in enumerate(found, 1)]


def _csv_rows(map_file: str, text: str) -> Iterable[tuple[str, dict[str, Any]]]:
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)  # names may have line breaks
        rows = [(f"{map_file}: line {reader.line_num}", row) for row in reader]
    except csv.Error as error:
        raise UsageError(f"{map_file}: line {reader.line_num}: {error}") from error
    if "project" not in (reader.fieldnames or ()):
        raise UsageError(f"{map_file}: line 1: names no column 'project'; there are {', '.join(_COLUMNS)}")
    return rows


def _rule(place: str, row: dict[str, Any]) -> Rule:
    unknown = [str(name) for name in row if name not in _COLUMNS]
    if unknown:
        raise UsageError(f"{place}: there is no column '{unknown[0]}'; there are {', '.join(_COLUMNS)}")
    values = {name: "" if row.get(name) is None else row[name] for name in _COLUMNS}
    wrong = [name for name, value in values.items() if not isinstance(value, str) or "\0" in value]
    if wrong:
        raise UsageError(f"{place}: '{wrong[0]}' is no text: put a name in quotes, without zero bytes")
    if not values["project"]:
        raise UsageError(f"{place}: has no project")
    path = values["path"]
    if path and not path.startswith("/"):
        raise UsageError(f"{place}: the path '{path}' is not absolute: give the whole path, from /")
    return Rule(values["project"], values["user"], values["group"], os.path.normpath(path) if path else "")
