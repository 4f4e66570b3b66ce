"""The device map: which device belongs to which server and file system (the catalog's table `devices`)."""

from __future__ import annotations

import csv
import fnmatch
from pathlib import Path
from typing import NamedTuple

from headrace._errors import UsageError

_COLUMNS = ("host", "device", "server", "file_system")


class MapRow(NamedTuple):
    host: str  # pattern, as of a shell
    device: str  # pattern
    server: str  # "": the host
    file_system: str  # "": of none


def read_map(path: str) -> list[MapRow]:
    """Rows of a CSV file with the columns host, device, server and file_system. UsageError: it is none."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, restkey="more", strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path}: the device map cannot be read: {error}") from error
    found = []
    for number, row in enumerate(rows, 2):
        lacks = [column for column in _COLUMNS if row.get(column) is None]
        if lacks or "more" in row:
            raise UsageError(f"{path}:{number}: a device map has the columns {', '.join(_COLUMNS)}")
        found.append(MapRow(*(row[column].strip() for column in _COLUMNS)))
    return found


def place_of(rows: list[MapRow], host: str, device: str) -> tuple[str, str]:
    """(server, file system) by the last row that fits; (host, "") when none does."""
    for row in reversed(rows):
        if fnmatch.fnmatchcase(host, row.host) and fnmatch.fnmatchcase(device, row.device):
            return row.server or host, row.file_system
    return host, ""
