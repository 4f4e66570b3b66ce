"""A study as plain values, for `--json`. Keys: docs/study.md."""

from __future__ import annotations

import math
from datetime import datetime, timezone
from typing import Any

from headrace.study.figure import TOLD, Figure, Study

__all__ = ["facts"]

FORMAT = 1


def facts(study: Study) -> dict[str, Any]:
    told: dict[str, Any] = {
        "format": FORMAT,
        "site": study.site,
        "period": {"start": study.start or None, "end": study.end or None},
        "side": study.side,
        "headlines": [vars(each) for each in study.headlines],
        "findings": [
            {key: getattr(each, key) for key in ("text", "figure", "side")} for each in study.findings
        ],
        "notes": study.notes,
        "sections": [
            {
                "id": each.id,
                "title": each.title,
                "text": each.text,
                "figures": [_figure(one) for one in each.figures],
            }
            for each in study.sections
        ],
    }
    if study.compared is not None:
        told["compared"] = facts(study.compared)
    return told


def _figure(figure: Figure) -> dict[str, Any]:
    told = {key: _plain(getattr(figure, key)) for key in (*TOLD, "units", "numbers")}
    return told | {"rows": _plain(figure.data.to_pylist())}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return None if isinstance(value, float) and not math.isfinite(value) else value
