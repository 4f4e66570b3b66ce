"""What is known of files besides counts: hints asked for and used, layouts of datasets, stripes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from headrace.analysis.kinds import FILE_KINDS, LAYER_KINDS
from headrace.analysis.libraries import split
from headrace.logs import JobLog

Facts = dict[str, Any]


def properties(log: JobLog, wanted: Collection[str] | None, chosen: list[int]) -> dict[str, list[Facts]]:
    """By path of a file, or of all files: {dataset, key, value, records}, by dataset and key.

    Whichever layer knew it. `dataset`: the name of the one inside the file that it is of, or None; `records`:
    how many records of the file, one a process and layer, have this value. No entry: nothing is known.
    """
    if not log.native.columns("properties"):
        return {}
    merged = log.native.merge("path", chosen, LAYER_KINDS)
    rows = merged.rows(None, ["path", "kind"])
    files = {row["path"] for row in rows if row["kind"] in FILE_KINDS}
    places: dict[int, tuple[str, str | None]] = {}
    for number, row in enumerate(rows):
        place = split(row["path"], files) if row["kind"] == "dataset" else (row["path"], None)
        if wanted is None or place[0] in wanted:
            places[number] = place
    result: dict[str, list[Facts]] = {}
    for fact in log.native.properties(merged, list(places)).rows():
        path, dataset = places[fact["row"]]
        known = {"dataset": dataset, **{key: fact[key] for key in ("key", "value", "records")}}
        result.setdefault(path, []).append(known)
    for facts in result.values():
        facts.sort(key=lambda fact: (fact["dataset"] or "", fact["key"], -fact["records"]))
    return result
