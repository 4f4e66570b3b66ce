"""What a log does not have: losses first, then detail that was not kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import number, printable
from headrace.text import count, size

Facts = dict[str, Any]

_MOST = 10


def losses_in_short(facts: Facts) -> str:
    """The first loss and how many kinds there are besides; "" where nothing is lost."""
    losses = [gap for gap in facts["not_captured"] if gap["loss"]]
    if not losses:
        return ""
    missing = facts["job"]["processes"] - facts["job"]["processes_captured"]
    if missing:
        images = facts["job"]["processes"] != facts["job"]["process_ids"]
        first = count(missing, "program image") if images else count(missing, "process", "processes")
        others = len({gap["what"] for gap in losses} - {"processes not captured"})
    else:
        first = f"{amount(losses[0])} ({printable(losses[0]['what'])})"
        others = len({gap["what"] for gap in losses}) - 1
    return first + (f" and {count(others, 'other kind')}" if others else "")


def loss_lines(facts: Facts, terminal: Terminal) -> list[str]:
    """Calls and bytes that no figure has, each with what to do."""
    gaps = [gap for gap in facts["not_captured"] if gap["loss"]]
    return _section("Not captured", gaps, "To have it", terminal)


def detail_lines(facts: Facts, terminal: Terminal) -> list[str]:
    """What is in the sums, and not told apart."""
    gaps = [gap for gap in facts["not_captured"] if not gap["loss"]]
    return _section("Counted, but without detail", gaps, "To have them apart", terminal)


def _section(title: str, gaps: list[Facts], to_have: str, terminal: Terminal) -> list[str]:
    if not gaps:
        return []
    kinds = len(gaps)
    rows = []
    for gap in gaps[:_MOST]:
        remedy = f". {to_have}: {printable(gap['remedy'])}" if gap["remedy"] else ""
        rows.append((amount(gap), printable(gap["what"]), printable(gap["reason"]) + remedy))
    head: Sequence[str] = ("amount", "what", "why")
    table = columns([head, *rows], left=frozenset({1, 2}), room=terminal.columns)
    rest = [terminal.dim(f"  … and {kinds - _MOST} more kinds: see --json")] if kinds > _MOST else []
    return [terminal.bold(title), terminal.dim(table[0]), *table[1:], *rest]


def amount(gap: Facts) -> str:
    unit = printable(gap["unit"])
    if unit == "bytes":
        return size(gap["amount"])
    if unit in ("count", ""):
        return number(gap["amount"])
    if gap["amount"] == 1:
        unit = {"processes": "process"}.get(unit, unit.removesuffix("s"))
    return f"{number(gap['amount'])} {unit}"
