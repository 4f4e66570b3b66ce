"""What the command line of `headrace study` says, read and checked; and the study as terminal text."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from decimal import Decimal

from headrace._errors import UsageError
from headrace.commands._terminal import Terminal
from headrace.commands._text import printable
from headrace.study.figure import Study

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([KMGTP])(i?B)?|B)?", re.IGNORECASE)
_LEAST = datetime(1, 1, 2, tzinfo=timezone.utc)

Period = tuple["datetime | None", "datetime | None"]


def size_of(text: str) -> int:
    """ "500M", "500MiB" or "1048576" as bytes; units are powers of 1,024."""
    match = _SIZE.fullmatch(text.strip())
    if not match:
        raise UsageError(f"--min-bytes {text!r}: is no size; write such as 500MiB, 2G or 1048576")
    power = "KMGTP".index(match[2].upper()) + 1 if match[2] else 0
    value = Decimal(match[1]) * 1024**power
    if value >= 1 << 63:
        raise UsageError(f"--min-bytes {text!r}: is more than any job can move")
    return int(value)


def period_of(option: str, text: str | None) -> Period:
    """ "A..B" as two points in time; either may be left out. A last day without a time is not part of it."""
    if text is None:
        return None, None
    begin, dots, end = text.partition("..")
    if not dots:
        raise UsageError(
            f"{option} {text!r}: write FIRST..END, such as 2026-01-01..2026-03-01; END is not part of it"
        )
    period = _moment(option, begin), _moment(option, end)
    if period[0] and period[1] and period[0] >= period[1]:
        raise UsageError(f"{option} {text!r}: ends before it begins")
    return period


def _moment(option: str, text: str) -> datetime | None:
    if not text.strip():
        return None
    try:
        when = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        known = when if when.tzinfo else when.replace(tzinfo=timezone.utc)
        return max(known, _LEAST).astimezone(timezone.utc)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{option}: {text!r} is no day or point in time; write 2026-03-01 or 2026-03-01T12:00"
        ) from error


def render(study: Study, output: Terminal) -> list[str]:
    """Headlines and findings; figures are for the page."""
    sides = [study, study.compared] if study.compared else [study]
    lines = [output.bold(printable(" and ".join(map(_whole, sides)))), ""]
    lines += [line for each in sides for line in _headlines(each, output)]
    for finding in study.findings:
        lines += output.wrap(printable(_of(finding.side) + finding.text), "  * ", "    ")
    if not study.findings:
        lines += output.wrap(
            "There is nothing to tell yet: add job logs, scheduler records, samples and scans."
        )
    lines.append("")
    for side in sides:
        for note in side.notes:
            lines += [output.dim(line) for line in output.wrap(printable(_of(side.side) + note))]
    return [*lines, output.dim("All figures: headrace study --at DIR -o study.html")]


def _whole(study: Study) -> str:
    """The site and its period, of which one may be what a comparison calls it."""
    period = f", {study.start[:10]} to {study.end[:10]}" if study.start else ""
    return (study.side if study.side.startswith(study.site) else study.site) + period


def _headlines(study: Study, output: Terminal) -> list[str]:
    lines = []
    for each in study.headlines:
        below = f" ({each.below})" if each.below else ""
        difference = f"; {each.difference}" if each.difference else ""
        lines += output.wrap(printable(f"{_of(study.side)}{each.label}: {each.text}{below}{difference}"))
    return [*lines, ""] if lines else []


def _of(side: str) -> str:
    return f"{side}: " if side else ""
