"""Scans of a made-up facility's file system: whole files by size and age, as the preset's curves say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.catalog.schema import arrow_schema
from headrace.facility.preset import micros

if TYPE_CHECKING:
    import pyarrow

__all__ = ["scan_tables"]

_AGE, _DAY = 675, 7  # s in the first bin of ages, of which 2 ** 7 are a day (docs/formats/scan.md)


def scan_tables(preset: dict[str, Any], which: int) -> dict[str, pyarrow.Table]:
    """The tables of the first (0) or last (1) scan."""
    import pyarrow

    about = preset["scans"]
    start = micros(about["end" if which else "start"])
    files, size = about["files"][which], about["bytes"][which]
    scan = {
        "scan": which + 1,
        "root": preset["mount"],
        "file_system": preset["mount"].strip("/"),
        "host": "login1",
        "start": start,
        "end": start + 3600 * 1_000_000,
        "files": files,
        "directories": files // 40,
        "symlinks": 0,
        "others": 0,
        "bytes": size,
        "capacity": size,
        "largest": 1 << 44,
        "unreadable": 0,
        "vanished": 0,
        "complete": True,
        "source": f"scan-{which + 1}.hr",
    }
    mine = about["project_files"][which], about["project_bytes"][which]
    histograms = []
    for owned_by, owner, count, amount, curve in (
        ("all", "", files, size, about["sizes"]),
        ("project", about["project"], *mine, about["project_sizes"]),
    ):
        histograms += _rows(which + 1, "size", owned_by, owner, count, amount, curve, 1)
    ages = [[power + _DAY, share] for power, share in about["ages"]]
    histograms += _rows(which + 1, "modified_age", "all", "", files, size, ages, _AGE, by_bytes=True)
    tables = {"scans": [scan], "scan_histograms": histograms, "scan_problems": []}
    return {
        name: pyarrow.Table.from_pylist(rows, arrow_schema(name))
        if rows
        else arrow_schema(name).empty_table()
        for name, rows in tables.items()
    }


def _rows(
    scan: int,
    histogram: str,
    owned_by: str,
    owner: str,
    files: int,
    size: int,
    curve: list[list[Any]],
    unit: int,
    by_bytes: bool = False,
) -> list[dict[str, Any]]:
    """A row a power of two. Between two points of the curve, each bin has the same share; sums are exact."""
    shares = []
    at, before = -1, 0.0
    for power, share in curve:
        shares += [before + (share - before) * (i + 1) / (power - at) for i in range(power - at)]
        at, before = power, share
    counts = _split(files, shares)
    weights = [c * 3 * 2**i / 4 for i, c in enumerate(counts)]
    whole = sum(weights)
    amounts = _split(
        size, shares if by_bytes else [sum(weights[: i + 1]) / whole for i in range(len(weights))]
    )
    return [
        {
            "scan": scan,
            "histogram": histogram,
            "owned_by": owned_by,
            "owner": owner,
            "bucket": i,
            "low": 2**i * unit // 2 if i else 0,
            "high": 2**i * unit,
            "files": count,
            "bytes": amount,
        }
        for i, (count, amount) in enumerate(zip(counts, amounts, strict=True))
        if count or amount
    ]


def _split(total: int, cumulative: list[float]) -> list[int]:
    ends = [int(total * share) for share in cumulative[:-1]] + [total]
    return [end - begin for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
