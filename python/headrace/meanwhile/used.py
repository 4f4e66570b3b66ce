"""Which of the catalog's file systems a job used: by its mounts."""

from __future__ import annotations

from typing import Any

from headrace.meanwhile.own import Own
from headrace.study.query import Connection, rows

__all__ = ["tell_used"]

Facts = dict[str, Any]


def tell_used(connection: Connection, own: Own, found: list[Facts]) -> None:
    """Which of the file systems the job used, and how much: `used` None where nothing says so.

    A file system has the name of a mount's last part, of its source's (`mgs@tcp:/scratch`), or of a scan.
    """
    scanned = rows(connection, "SELECT DISTINCT root, file_system FROM scans WHERE file_system IS NOT NULL")
    roots = {row["root"].rstrip("/") or "/": row["file_system"] for row in scanned if row["root"]}
    touched = [
        row
        for row in own.mounts
        if row["files"] or row["directories"] or row["bytes_read"] + row["bytes_written"]
    ]
    known = False
    for system in found:
        if system["name"] is None:
            continue
        here = [row for row in touched if system["name"] in _names_of(row, roots)]
        system["used"] = bool(here)
        known = known or bool(here)
        for key, column in (("own_read_bytes", "bytes_read"), ("own_written_bytes", "bytes_written")):
            system[key] = sum(row[column] for row in here)
    for system in found:
        # Where no mount has any of these names, it may be any of them.
        if not known or system["name"] is None:
            system |= {"used": None, "own_read_bytes": None, "own_written_bytes": None}
    found.sort(key=lambda row: not row["used"])


def _names_of(mount: Facts, roots: dict[str, str]) -> set[str]:
    point = mount["point"].rstrip("/") or "/"
    source = mount["source"].rstrip("/")
    names = {
        point,
        point.rpartition("/")[2],
        source.rpartition("/")[2].rpartition(":")[2],
        roots.get(point, ""),
    }
    return names - {""}
