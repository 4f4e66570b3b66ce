"""Files against processes (Figure 5 of the paper)."""

from __future__ import annotations

from typing import Any

from headrace.study.figure import Figure, Finding
from headrace.study.figures.coverage import NO_LOGS
from headrace.study.query import Connection, data, rows, text
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import percent_first
from headrace.text import count, significant

_POINTS = 20_000  # more than these are rounded together
_FEW = 10  # files: the most that counts as N:1


def files_by_processes(connection: Connection, settings: Settings, _: Scope) -> Figure:
    top = [
        row["project"]
        for row in rows(
            connection,
            "SELECT project FROM study_logs WHERE moved > 0 GROUP BY project ORDER BY sum(moved)"
            " DESC, project"
            f" LIMIT {settings.top}",
        )
    ]
    names = ", ".join(map(text, top)) or "NULL"
    found = rows(
        connection,
        f"""SELECT l.project, i.processes, i.files, count(*) AS instances FROM instances i
JOIN study_logs l ON l.log = i.log WHERE l.project IN ({names}) AND i.files IS NOT NULL
  AND i.processes IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3""",
    )
    exact = len(found)
    found = found if exact <= _POINTS else _rounded(found)
    runs = sum(row["instances"] for row in found)
    none = sum(row["instances"] for row in found if row["files"] == 0)
    most = max((row["files"] / row["processes"] for row in found if row["processes"]), default=0.0)
    rounded = f" {exact:,} different points were rounded to two digits." if exact > _POINTS else ""
    return Figure(
        "files_by_processes",
        "Files against processes",
        "points",
        data(found, "project text, processes int, files int, instances int"),
        "A point is a run of a program: its processes, and the different files that it used. Several runs"
        " of one job count each. On N:N each process has a file of its own, on N:1 all share one.",
        f"{count(runs, 'run')}, of which files are known, of the {len(top)} projects that moved most;"
        f" {none:,} of them used no file, which a logarithmic axis cannot show.{rounded}",
        encoding={"x": "processes", "y": "files", "colour": "project"},
        units={"processes": "count", "files": "count", "instances": "count"},
        options={
            "log_x": True,
            "log_y": True,
            "guides": [
                {"label": "N:N", "slope": 1},
                {"label": "N:1", "y": 1},
                {"label": "100 N:N", "slope": 100},
            ],
        },
        paper="Figure 5",
        words=[f"{count(none, 'run')} used no files; the most was {significant(most)} files per process."]
        if found
        else [],
        missing="" if found else NO_LOGS,
    )


def _rounded(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sums: dict[tuple[str, int, int], int] = {}
    for row in found:
        key = (row["project"], _two_digits(row["processes"]), _two_digits(row["files"]))
        sums[key] = sums.get(key, 0) + row["instances"]
    names = ("project", "processes", "files")
    return [dict(zip(names, key, strict=True), instances=runs) for key, runs in sorted(sums.items())]


def _two_digits(value: int) -> int:
    return round(value, 2 - len(str(value)))


def file_counts(connection: Connection, _: Settings, __: Scope) -> Figure:
    found = rows(
        connection,
        f"""SELECT category, place, count(*) AS instances FROM (SELECT
  CASE WHEN i.files = 0 THEN 0 WHEN i.processes < 2 THEN 4 WHEN i.files >= i.processes THEN 3
    WHEN i.files <= {_FEW} THEN 1 ELSE 2 END AS place,
  CASE WHEN i.files = 0 THEN 'no files' WHEN i.processes < 2 THEN 'one process'
    WHEN i.files >= i.processes THEN 'N:N, one or more per process'
    WHEN i.files <= {_FEW} THEN 'N:1, {_FEW} or fewer' ELSE 'N:M, between' END AS category
FROM instances i JOIN study_logs l ON l.log = i.log
WHERE i.files IS NOT NULL AND i.processes IS NOT NULL) categories
GROUP BY category, place ORDER BY place""",
    )
    runs = sum(row["instances"] for row in found)
    for row in found:
        row["share"] = row["instances"] / runs
    figure = Figure(
        "file_counts",
        "How many files runs use",
        "table",
        data(found, "category text, instances int, share real"),
        f"Runs of programs by their number of files: none; {_FEW} or fewer for all processes; as many as"
        " processes or more; between these. Runs of one process are told apart.",
        "All runs of all logs of the period of which both are known.",
        units={"instances": "count", "share": "share"},
        titles={"category": "files", "instances": "runs"},
        paper="Section III-B",
        missing="" if found else NO_LOGS,
    )
    empty = [row for row in found if row["category"] == "no files"]
    if empty:
        words = f"{percent_first(empty[0]['share'])} of the runs of programs used no file at all."
        figure.words, figure.findings = [words], [Finding(words, "file_counts", 0.35)]
    return figure
