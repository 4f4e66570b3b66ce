"""Other names of people's things, for reports that are handed out."""

from __future__ import annotations

from typing import Any

from headrace.catalog.schema import CALENDAR_KINDS, GAP_REASONS, JOB_STATES

__all__ = ["Names"]

_KINDS = {"jobs": {"job": "job", "user": "user", "project": "project", "program": "program"}}


class Names:
    """Numbers in place of names, the same for one name wherever one object is used."""

    def __init__(self) -> None:
        self._known: dict[str, dict[Any, str]] = {}

    def of(self, kind: str, name: Any) -> str | None:
        if name is None or name == "":
            return None
        known = self._known.setdefault(kind, {})
        return known.setdefault(name, f"{kind} {len(known) + 1}")

    def hide(self, facts: dict[str, Any]) -> None:
        """In place: all names of the facts that `look` collects."""
        facts["catalog"] = None
        facts["job"]["name"] = self.of("job", facts["job"]["name"])
        for key, fields in {
            "jobs": {**_KINDS["jobs"], "scheduler": "scheduler"},
            "file_systems": {"name": "file system"},
            "servers": {"server": "server", "file_system": "file system"},
            "lines": {"file_system": "file system"},
            "uncovered": {"server": "server", "host": "server"},
            "gaps": {"host": "server", "device": "device"},
        }.items():
            rows = facts["picture"]["lines"] if key == "lines" and facts["picture"] else facts.get(key, [])
            for row in rows:
                row |= {field: self.of(kind, row[field]) for field, kind in fields.items()}
        for row in facts["uncovered"]:
            row["devices"] = [self.of("device", name) for name in row["devices"]]
        for row in facts["jobs"]:
            row["same"] = [self.of("mount", name) for name in row["same"]]
        for row in facts["calendar"]:
            row |= {"text": "", "kind": row["kind"] if row["kind"] in CALENDAR_KINDS else "note"}
        for key, column, ours in (("gaps", "reason", GAP_REASONS), ("jobs", "state", JOB_STATES)):
            for row in facts[key]:
                row[column] = row[column] if row[column] in (None, *ours) else "other"
