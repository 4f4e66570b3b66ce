"""Presets: what a made-up facility is like, as TOML. intrepid.toml says what each key is."""

from __future__ import annotations

import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from headrace._errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["is_file", "load_preset", "micros"]

_KEYS: dict[str, Any] = {
    "name": str, "jobs": int, "start": str, "end": str, "cores_per_node": int, "processes_per_node": int,
    "partitions": list, "other_projects": int, "other_projects_captured": int, "captured": int, "mount": str,
    "mount_type": str, "projects": list, "others": dict, "samples": dict, "scans": dict, "ceilings": list,
    "peak_bytes_per_s": int,
}  # fmt: skip
_SAMPLES: dict[str, Any] = {
    "minutes": int, "file_systems": list, "mean": int, "peak": int, "peak_read": int, "peak_written": int,
    "below": list, "read_share": list, "tapered_days": int, "lost": list, "maintenance": list,
}  # fmt: skip
_SCANS: dict[str, Any] = {
    "start": str, "end": str, "files": list, "bytes": list, "project": str, "project_files": list,
    "project_bytes": list, "sizes": list, "project_sizes": list, "ages": list,
}  # fmt: skip
_PROGRAM: dict[str, Any] = {
    "name": str,
    "jobs": int,
    "rate": (int, float),
    "metadata": (int, float),
    "files": list,
}


def load_preset(name: str) -> dict[str, Any]:
    """A preset by its name, or by the path of a file. Raises UsageError."""
    path = Path(name) if is_file(name) else Path(__file__).with_name(f"{name}.toml")
    try:
        preset = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        known = ", ".join(sorted(p.stem for p in Path(__file__).parent.glob("*.toml")))
        raise UsageError(f"{name}: there is no such preset; name one of {known}, or a file X.toml") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be used as a preset: {error}") from error
    _check(path, preset)
    return preset


def is_file(name: str) -> bool:
    """Of a preset of one's own, and not a name of ours."""
    return "/" in name or name.endswith(".toml")


def micros(text: str) -> int:
    """Microseconds since 1970 of a point in time as presets have it. Raises ValueError."""
    when = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return int(when.timestamp()) * 1_000_000


def _check(path: Path, preset: dict[str, Any]) -> None:
    def must(found: Any, key: str, kind: Any, where: str) -> None:
        if not isinstance(found.get(key), kind) or isinstance(found.get(key), bool):
            raise UsageError(f"{path}: {where} needs a '{key}'; see the preset intrepid")

    for key, kind in _KEYS.items():
        must(preset, key, kind, "a preset")
        if kind is int and preset[key] < (0 if key.startswith("other") else 1):
            raise UsageError(f"{path}: '{key}' is {preset[key]}, and must be more")
    for part, keys in (("samples", _SAMPLES), ("scans", _SCANS)):
        for key, kind in keys.items():
            must(preset[part], key, kind, f"[{part}] of a preset")
    try:
        if micros(preset["start"]) >= micros(preset["end"]):
            raise UsageError(f"{path}: 'end' must be after 'start'")
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    for project in [*preset["projects"], preset["others"]]:
        where = f"project '{project.get('name', 'others')}'"
        must(project, "programs", list, where)
        for key in ("core_hours", "core_hours_captured"):
            must(project, key, (int, float), where)
        for program in project["programs"]:
            for key, kind in _PROGRAM.items():
                must(program, key, kind, f"a program of {where}")
            if not 0 <= program["metadata"] <= 1 or not program["rate"] > 0:
                raise UsageError(f"{path}: a program of {where}: 'metadata' is a share and 'rate' above 0")
            if "ladder" not in program:
                must(program, "processes", list, f"a program of {where}")
