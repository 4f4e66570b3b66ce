"""A scan as Arrow tables and back. Columns are those of headrace.catalog.schema; a test compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace import _native
from headrace._errors import UsageError
from headrace.scans import bins
from headrace.scans.scan import FORMAT, Bin, Key, Scan

if TYPE_CHECKING:
    import pyarrow

__all__ = ["as_tables", "scan_of", "tables_of"]

_NUMBERS = (
    "files",
    "directories",
    "symlinks",
    "others",
    "bytes",
    "capacity",
    "largest",
    "unreadable",
    "vanished",
)
# Histograms whose `bytes` are the sums of their values.
_SUMS = {
    "size",
    "capacity",
    "positive_overhead",
    "negative_overhead",
    "directory_size",
    "name_length",
    "symlink_length",
}


def _schemas() -> dict[str, pyarrow.Schema]:
    import pyarrow

    types = {
        "int": pyarrow.int64(),
        "text": pyarrow.string(),
        "flag": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
    }
    columns = {
        "scans": "scan:int root:text file_system:text host:text start:time end:time "
        + " ".join(f"{name}:int" for name in _NUMBERS)
        + " complete:flag source:text",
        "scan_histograms": "scan:int histogram:text owned_by:text owner:text bucket:int low:int high:int "
        "files:int bytes:int",
        "scan_problems": "scan:int path:text reason:text",
    }
    return {
        table: pyarrow.schema([(word.split(":")[0], types[word.split(":")[1]]) for word in text.split()])
        for table, text in columns.items()
    }


def tables_of(scan: Scan) -> dict[str, pyarrow.Table]:
    identity = scan.identity()
    one: dict[str, Any] = {
        "scan": identity, "root": scan.root, "file_system": scan.file_system,
        "host": scan.facts.get("host", ""),
        "start": scan.number("start_utc_ns") // 1000, "end": scan.number("end_utc_ns") // 1000,
        **{name: scan.number(name) for name in _NUMBERS}, "complete": scan.complete, "source": scan.path,
    }  # fmt: skip
    histograms = [
        {
            "scan": identity,
            **key._asdict(),
            **dict(zip(("low", "high"), bins.edges(key.histogram, key.bucket), strict=True)),
            "files": value.files,
            "bytes": value.bytes,
        }
        for key, value in sorted(scan.bins.items())
    ]
    problems = [{"scan": identity, "path": path, "reason": reason} for path, reason in scan.problems]
    return as_tables(one, histograms, problems)


def as_tables(
    scan: Mapping[str, Any], histograms: Sequence[Mapping[str, Any]], problems: Sequence[Mapping[str, Any]]
) -> dict[str, pyarrow.Table]:
    """Rows with the columns of the catalog; times are microseconds since 1970."""
    import pyarrow

    rows = {"scans": [scan], "scan_histograms": histograms, "scan_problems": problems}
    return {name: pyarrow.Table.from_pylist(rows[name], schema=of) for name, of in _schemas().items()}


def scan_of(tables: Mapping[str, pyarrow.Table]) -> Scan:
    """UsageError: not one scan, or a histogram or bin that there is not."""
    one = tables["scans"].to_pylist()
    if len(one) != 1:
        raise UsageError(f"a scan's file holds one scan, and the table 'scans' has {len(one)} rows")
    row = one[0]
    scan = Scan({
        "format_version": str(FORMAT), "headrace_version": _native.version, "root": row["root"],
        "file_system": row["file_system"], "host": row["host"],
        "start_utc_ns": str(_ns(tables["scans"], "start")), "end_utc_ns": str(_ns(tables["scans"], "end")),
        **{name: str(row[name]) for name in _NUMBERS},
        "complete": "yes" if row["complete"] else "no: something is missing",
    })  # fmt: skip
    for line in tables["scan_histograms"].to_pylist():
        key = Key(*(line[name] for name in Key._fields))
        if key.histogram not in bins.HISTOGRAMS or key.bucket not in bins.bucket_range(key.histogram):
            raise UsageError(f"there is no bin {key.bucket} of a histogram '{key.histogram}'")
        scan.bins[key] = Bin(line["files"], line["bytes"])
    if all(key.histogram in _SUMS for key in scan.bins):
        scan.bins = {key: Bin(one.files, one.bytes, one.bytes, 0.0) for key, one in scan.bins.items()}
    scan.problems = [(line["path"], line["reason"]) for line in tables["scan_problems"].to_pylist()]
    return scan


def _ns(table: pyarrow.Table, column: str) -> int:
    """Without pandas' or Python's own times, which end before those of Arrow do."""
    import pyarrow

    return int(table[column].cast(pyarrow.int64())[0].as_py() or 0) * 1000
