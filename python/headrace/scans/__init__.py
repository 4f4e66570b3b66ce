"""Scans of file systems (docs/scan.md): their files as tables, merged, compared, and in other formats.

`read` and `write` are what a catalog needs: tables whose columns are those of headrace.catalog.schema.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from headrace.scans.fsstats_lines import is_fsstats
from headrace.scans.fsstats_read import read_fsstats
from headrace.scans.scan import Bin, Scan, load
from headrace.scans.tables import scan_of, tables_of

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Bin", "Scan", "is_fsstats", "load", "read", "read_fsstats", "write"]


def read(path: str | os.PathLike[str]) -> dict[str, pyarrow.Table]:
    """The tables `scans` (one row), `scan_histograms` and `scan_problems` of a scan's file.

    Raises LogError: it is no scan, or nothing of it can be used. A damaged or interrupted scan has
    `complete` false.
    """
    return tables_of(load(path))


def write(path: str | os.PathLike[str], tables: dict[str, pyarrow.Table], identity: int = 0) -> None:
    """Writes tables as `read` gives them; a file at `path` is replaced.

    `identity`: of the file; 0 stands for a random one, so that two files of one content differ.

    The column `scan` is not kept, since it is a hash of the content: `read` says which it is.
    UsageError: not one scan, or a histogram or bin that there is not.
    """
    scan_of(tables).save(os.fspath(path), identity)
