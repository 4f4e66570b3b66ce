"""Figures of `headrace bench --json` as a table of phases (docs/bench.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

__all__ = ["NotFiguresError", "figures_of", "phases_table"]

Figures = Mapping[str, Any]

_OF_RUN = {"pattern": "string", "api": "string", "ranks": "int64", "nodes": "int64", "mpi": "string",
           "seed": "uint64", "directory": "string", "emulate": "string", "right": "bool"}  # fmt: skip
_OF_PHASE = {
    **dict.fromkeys(("bytes", "slowest_rank", "checked_bytes", "wrong_bytes", "missing_bytes"), "int64"),
    **dict.fromkeys(
        ("seconds", "fastest_rank_seconds", "elapsed_seconds", "mbps", "transfer_mbps"), "double"
    ),
}


class NotFiguresError(ValueError):
    """The text is something else; the message says where."""


def figures_of(text: str) -> list[Figures]:
    """Objects of runs, one after the other; those that a study keeps have theirs under "figures", and count
    if they have any. NotFiguresError."""
    decoder = json.JSONDecoder()
    found: list[Figures] = []
    at = len(text) - len(text.lstrip())
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError as error:
            raise NotFiguresError(str(error)) from error
        kept = isinstance(value, dict) and "outcome" in value
        if not kept or "figures" in value:
            found.append(_checked(value["figures"] if kept else value, at))
        at = end + len(text[end:]) - len(text[end:].lstrip())
    return found


def _checked(value: Any, at: int) -> Figures:
    if not isinstance(value, dict) or not isinstance(value.get("phases"), list):
        raise NotFiguresError(f"what begins at character {at} has no phases")
    checks = value.get("checks", [])
    if not isinstance(checks, list) or not all(map(_is_phase, value["phases"] + checks)):
        raise NotFiguresError(f"what begins at character {at} has phases that are none")
    return value


def _is_phase(value: Any) -> bool:
    return isinstance(value, dict) and "name" in value and isinstance(value.get("calls", {}), dict)


def phases_table(runs: Sequence[Figures], first: int = 0) -> pyarrow.Table:
    """A row a phase, in the order of the runs, which have numbers from `first` on. NotFiguresError: a
    figure is of another type."""
    import pyarrow

    calls = pyarrow.map_(
        pyarrow.string(),
        pyarrow.struct({"calls": "int64", "seconds": "double", "longest_seconds": "double"}),
    )
    of_run = {name: pyarrow.type_for_alias(kind) for name, kind in _OF_RUN.items()}
    of_phase = {name: pyarrow.type_for_alias(kind) for name, kind in _OF_PHASE.items()}
    figures = pyarrow.map_(pyarrow.string(), pyarrow.float64())
    schema = pyarrow.schema({
        "run": pyarrow.int64(), **of_run, "settings": pyarrow.string(), "figures": figures,
        "phase": pyarrow.string(), "measured": pyarrow.bool_(), **of_phase, "calls": calls,
    })  # fmt: skip
    rows = [row for number, run in enumerate(runs, first) for row in _rows(number, run)]
    try:
        return pyarrow.Table.from_pylist(rows, schema=schema)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, TypeError, ValueError, OverflowError) as error:
        raise NotFiguresError(f"a figure is of another type: {error}") from error


def _rows(number: int, run: Figures) -> list[dict[str, Any]]:
    # What a pattern measures beside its phases: write_mbps and its like.
    own = {key: float(value) for key, value in run.items() if isinstance(value, float)}
    facts = {"run": number, **{key: run.get(key) for key in _OF_RUN}, "figures": list(own.items())}
    facts["settings"] = json.dumps(run.get("settings", {}))
    rows = []
    for measured, phases in ((True, run["phases"]), (False, run.get("checks", []))):
        for phase in phases:
            row = {**facts, "phase": phase["name"], "measured": measured}
            row.update({key: phase.get(key) for key in _OF_PHASE})
            row["calls"] = list(phase.get("calls", {}).items())
            rows.append(row)
    return rows
