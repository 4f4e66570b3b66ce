"""How large files are (Figure 8 of the paper)."""

from __future__ import annotations

from typing import Any

from headrace.study.distribution import cumulative
from headrace.study.figure import Figure, Finding
from headrace.study.figures.scans import NO_SCANS, last_scans, numbers, problems, told_apart
from headrace.study.query import Connection, data, rows, text
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import percent_first
from headrace.text import size

_MIB = 1 << 20
_LAST = 1 << 62  # in place of a bin's end that there is not


def file_sizes(connection: Connection, settings: Settings, _: Scope) -> Figure:
    scans = last_scans(connection, settings)
    apart = told_apart(connection, settings)
    bins = _bins(connection, scans, None)
    without = _less(bins, _bins(connection, scans, apart)) if apart else []
    lines = {"all files": bins} | ({f"without {apart}": without} if apart else {})
    records = [record for name, each in lines.items() for record in _line(name, each)]
    figure = Figure(
        "file_sizes",
        "Sizes of files",
        "lines",
        data(
            records,
            "population text, below int, files int, share_of_files real, bytes int, share_of_bytes real",
        ),
        "Share of the files that are smaller than a size, and of the bytes in them, at the ends of the bins"
        " of the scans." + (f" Once without the files of {apart}." if apart else ""),
        f"Regular files of the last scan of each file system in the period ({len(scans)} scans)."
        f" {problems(scans)}",
        encoding={"x": "below", "y": "share_of_files", "colour": "population"},
        units={
            "below": "bytes",
            "bytes": "bytes",
            "files": "count",
            "share_of_files": "share",
            "share_of_bytes": "share",
        },
        titles={"below": "size", "share_of_files": "of the files", "share_of_bytes": "of the bytes"},
        options={"log_x": True, "step": True},
        paper="Figure 8",
        missing="" if records else NO_SCANS,
    )
    if records:
        figure.words = [
            _words(name, each) for name, each in lines.items() if sum(row["files"] for row in each)
        ]
        below = _below(records, "all files", _MIB)
        if below is not None:
            figure.numbers = {"share of files below 1 MiB": below}
            figure.findings = [
                Finding(f"{percent_first(below)} of all files are smaller than 1 MiB.", "file_sizes", 0.6)
            ]
        if scans:
            figure.numbers |= {
                f"{key} in the last scans": float(sum(scan[key] for scan in scans))
                for key in ("files", "bytes")
            }
            figure.words.append(f"The largest file has {size(max(scan['largest'] or 0 for scan in scans))}.")
    return figure


def _bins(connection: Connection, scans: list[dict[str, Any]], project: str | None) -> list[dict[str, Any]]:
    if not scans:
        return []
    join, where = "", "h.owned_by = 'all'"
    if project is not None:
        join = "JOIN study_owners o ON o.owner = h.owner"
        where = f"h.owned_by = 'project' AND o.project = {text(project)}"
    return rows(
        connection,
        f"""SELECT min(h.low) AS low, coalesce(h.high, {_LAST}) AS below,
  CAST(sum(h.files) AS BIGINT) AS files,
  CASE WHEN count(h.bytes) = count(*) THEN CAST(sum(h.bytes) AS BIGINT) END AS bytes
FROM scan_histograms h {join} WHERE h.histogram = 'size' AND {where} AND h.scan IN ({numbers(scans)})
GROUP BY 2 ORDER BY 2""",
    )


def _less(bins: list[dict[str, Any]], part: list[dict[str, Any]]) -> list[dict[str, Any]]:
    taken = {row["below"]: row for row in part}
    nothing = {"files": 0, "bytes": 0}
    return [
        {**row, **{key: _rest(row[key], taken.get(row["below"], nothing)[key]) for key in nothing}}
        for row in bins
    ]


def _rest(whole: int | None, part: int | None) -> int | None:
    return None if whole is None or part is None else max(0, whole - part)


def _line(name: str, bins: list[dict[str, Any]]) -> list[dict[str, Any]]:
    files = cumulative([row["files"] for row in bins])
    nothing: list[float | None] = [None] * len(bins)
    known = all(row["bytes"] is not None for row in bins)
    stored = ([*cumulative([row["bytes"] for row in bins])] if known else []) or nothing
    return [
        {"population": name, **row, "share_of_files": share, "share_of_bytes": amount}
        for row, share, amount in zip(bins, files, stored, strict=False)
    ]


def _words(name: str, bins: list[dict[str, Any]]) -> str:
    most = max(bins, key=lambda row: int(row["files"]))
    end = "more" if most["below"] == _LAST else size(most["below"])
    return f"The most frequent size, {name}: {size(most['low'] or 0)} to {end} ({most['files']:,} files)."


def _below(records: list[dict[str, Any]], name: str, limit: int) -> float | None:
    found = [row["share_of_files"] for row in records if row["population"] == name and row["below"] == limit]
    return found[0] if found else None
