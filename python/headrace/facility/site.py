"""Facts about a made-up site: rows of a catalog, and the same as TOML."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

    from headrace.facility.devices import Activity
    from headrace.facility.plan import Plan

__all__ = ["rows_of", "site_tables", "site_text"]


def rows_of(name: str, rows: Iterable[dict[str, Any]]) -> pyarrow.Table:
    import pyarrow

    from headrace.catalog import arrow_schema

    return pyarrow.Table.from_pylist(list(rows), arrow_schema(name))


def _ceiling(ceiling: dict[str, Any], shrink: int) -> dict[str, Any]:
    least = ceiling.get("nodes_least")
    return ceiling if least is None else ceiling | {"nodes_least": max(1, least // shrink)}


def _site_rows(plan: Plan, activity: Activity) -> dict[str, list[dict[str, Any]]]:
    preset = plan.preset
    facts = {
        "name": preset["name"],
        "cores_per_node": preset["cores_per_node"],
        "processes_per_node": preset["processes_per_node"],
        "peak_bytes_per_s": preset["peak_bytes_per_s"],
    }
    return {
        "site": [{"key": key, "value": str(value)} for key, value in facts.items()],
        "ceilings": [_ceiling(ceiling, plan.settings.shrink) for ceiling in preset["ceilings"]],
        "calendar": [
            {"start": a, "end": b, "kind": kind, "text": text} for a, b, kind, text in activity.calendar
        ],
        "projects": [{"project": share[0], "account": share[0]} for share in plan.shares],
        "devices": [
            {"host": "server*", "device": f"sd{'abcdefgh'[i]}", "file_system": name}
            for i, name in enumerate(activity.file_systems)
        ],
    }


def site_tables(plan: Plan, activity: Activity) -> dict[str, pyarrow.Table]:
    from headrace.catalog import TABLES

    placed = {name: any(column.name == "place" for column in TABLES[name].columns) for name in TABLES}
    return {
        name: rows_of(name, [row | {"place": i} if placed[name] else row for i, row in enumerate(rows)])
        for name, rows in _site_rows(plan, activity).items()
    }


def site_text(plan: Plan, activity: Activity) -> str:
    """Site facts, ceilings, calendar, project map and device map as TOML."""
    from datetime import datetime, timezone

    def text(key: str, value: Any) -> str:
        if key in ("start", "end"):
            return datetime.fromtimestamp(value // 1_000_000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        return json.dumps(value)

    tables = _site_rows(plan, activity)
    parts = ["[site]\n" + "".join(f"{row['key']} = {text('', row['value'])}\n" for row in tables.pop("site"))]
    for name, rows in tables.items():
        for one in rows:
            parts.append(
                f"[[{name}]]\n" + "".join(f"{key} = {text(key, value)}\n" for key, value in one.items())
            )
    return "\n".join(parts)
