"""Sizes of reads and writes by project (Figure 9 of the paper)."""

from __future__ import annotations

from headrace.study.figure import Figure
from headrace.study.figures.performance import large_filter, missing_large
from headrace.study.query import Connection, data, rows, text, total
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import percent_first
from headrace.text import size


def access_sizes(connection: Connection, settings: Settings, _: Scope) -> Figure:
    top = rows(
        connection,
        "SELECT project FROM study_runs WHERE large GROUP BY project ORDER BY sum(moved) DESC, project"
        f" LIMIT {settings.top}",
    )
    names = ", ".join(text(row["project"]) for row in top) or "NULL"
    found = rows(
        connection,
        f"""SELECT r.project, a.direction, a.bucket, {total('a."count"', "operations")} FROM access_sizes a
JOIN study_logs l ON l.log = a.log JOIN study_runs r ON r.run = l.run
WHERE r.large AND r.project IN ({names}) AND a.layer IN ('posix', 'stdio')
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3""",
    )
    sums: dict[tuple[str, str], int] = {}
    for row in found:
        key = (row["project"], row["direction"])
        sums[key] = sums.get(key, 0) + row["operations"]
    records = [
        {
            **row,
            "size": bucket_label(row["bucket"]),
            "count": row["operations"],
            "share": row["operations"] / sums[row["project"], row["direction"]],
        }
        for row in found
        if row["operations"]
    ]
    # The page and Vega-Lite take categories in the order in which they come.
    records.sort(key=lambda row: (row["bucket"], row["project"], row["direction"]))
    figure = Figure(
        "access_sizes",
        "Sizes of reads and writes of large jobs",
        "histograms",
        data(records, "project text, direction text, bucket int, size text, count int, share real"),
        "Share of the reads, and of the writes, of POSIX and stdio of a project that are of a size: of two"
        " powers of two, the greater one included. Sizes of Darshan's logs, which are rougher, lie at the"
        " end of their ranges.",
        f"{large_filter(connection, settings)} The {len(top)} projects of most bytes.",
        encoding={"x": "size", "y": "share", "colour": "direction", "panel": "project"},
        units={"count": "count", "share": "share"},
        paper="Figure 9",
        missing="" if records else missing_large(connection),
    )
    for direction, verb in (("read", "reads"), ("write", "writes")):
        small = sum(row["count"] for row in records if row["direction"] == direction and row["bucket"] <= 12)
        whole = sum(row["count"] for row in records if row["direction"] == direction)
        if whole:
            figure.words.append(f"{percent_first(small / whole)} of the {verb} are of 4 KiB or less.")
            figure.numbers[f"share of {verb} of 4 KiB or less"] = small / whole
    return figure


def bucket_label(bucket: int) -> str:
    return "0\u20131 B" if bucket <= 0 else f"≤ {size(float(2**bucket))}"
