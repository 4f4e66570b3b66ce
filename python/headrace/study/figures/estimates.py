"""How far the estimate of section II-D of the paper is from what is known (Table I)."""

from __future__ import annotations

from typing import Any

from headrace.study.distribution import quantile
from headrace.study.figure import Figure
from headrace.study.figures.interfaces import STRATEGIES, STRATEGY
from headrace.study.figures.performance import UNIT, large_filter, missing_large
from headrace.study.query import Connection, data, rows
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import percent

_CLOSE = 0.03  # of the known rate: what the paper found of IOR
_UNKNOWN = (
    "No log of a large job knows both: those of one parallel program that Headrace recorded know their"
    " slowest"
    " process, and when shared files were used."
)


def estimates(connection: Connection, settings: Settings, _: Scope) -> Figure:
    found = rows(
        connection,
        f"""SELECT {STRATEGY} AS strategy, mib_per_s_per_node AS known,
  mib_per_s_per_node * (slowest_ns / CAST(estimated_ns AS DOUBLE)) AS estimated
FROM study_runs WHERE large AND slowest_exact AND estimated_ns > 0 AND mib_per_s_per_node IS NOT NULL""",
    )
    records = [
        _record(name, [row for row in found if row["strategy"] == key]) for key, name in STRATEGIES.items()
    ]
    records = [record for record in records if record["jobs"]]
    figure = Figure(
        "estimates",
        "How well performance can be estimated",
        "table",
        data(records, "strategy text, jobs int, known real, estimated real, difference real, close real"),
        f"{UNIT} of jobs whose slowest process is known, and as it would be if logs did not tell ranks apart"
        " in"
        " files that all of them share, whose time is then from first open to last I/O: medians over the"
        " jobs,"
        " the median difference of the two as a share of what is known, and the share of the jobs for which"
        " it"
        f" is {percent(_CLOSE)} at most. Strategies are those of most bytes.",
        f"{large_filter(connection, settings)} {len(found):,} of these know both.",
        units={
            "jobs": "count",
            "known": "MiB/s",
            "estimated": "MiB/s",
            "difference": "share",
            "close": "share",
        },
        titles={"strategy": "files", "known": UNIT, "close": f"within {percent(_CLOSE)}"},
        paper="Table I",
        missing="" if records else _UNKNOWN if _some_large(connection) else missing_large(connection),
    )
    if records:
        close = sum(record["close"] * record["jobs"] for record in records) / len(found)
        figure.words = [
            f"The estimate is within {percent(_CLOSE)} of what is known for {percent(close)} of these jobs."
        ]
    return figure


def _some_large(connection: Connection) -> bool:
    return bool(rows(connection, "SELECT count(*) AS n FROM study_runs WHERE large")[0]["n"])


def _record(name: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    if not found:
        return {"jobs": 0}
    known, estimated, differences = (
        sorted(values)
        for values in (
            [row["known"] for row in found],
            [row["estimated"] for row in found],
            [row["estimated"] / row["known"] - 1 for row in found],
        )
    )
    return {
        "strategy": name,
        "jobs": len(found),
        "known": quantile(known, 0.5),
        "estimated": quantile(estimated, 0.5),
        "difference": quantile(differences, 0.5),
        "close": sum(abs(each) <= _CLOSE for each in differences) / len(found),
    }
