"""The page of `headrace scaling` (docs/scaling.md): facts alone, no tables."""

from __future__ import annotations

from typing import Any

from headrace.analysis.definitions import definitions


def page_facts(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts of runs as a job grows, and what figures mean."""
    return {**facts, "definitions": definitions()}


def title(facts: dict[str, Any]) -> str:
    """What a browser calls the page."""
    command = facts["runs"][0]["command"]
    words = " ".join(command) if isinstance(command, list) else str(command or "")
    return f"Headrace: scaling of {words[:200] or 'runs'}"
