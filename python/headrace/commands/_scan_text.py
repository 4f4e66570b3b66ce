"""A scan as terminal text."""

from __future__ import annotations

from datetime import datetime, timezone

from headrace._errors import UsageError
from headrace.commands._terminal import Terminal
from headrace.commands._text import bar, number, percent, printable, shorten_right
from headrace.scans import bins
from headrace.scans.scan import MOST, Scan
from headrace.text import count, size

__all__ = ["date", "render"]

_SHOWN = ("size", "modified_age", "accessed_age", "directory_entries")
_PROBLEMS = 10
_NS = 10**9


def date(ns: int, form: str = "%Y-%m-%d %H:%M UTC") -> str:
    """A time as text; those that no calendar has, as seconds."""
    try:
        return datetime.fromtimestamp(ns // _NS, tz=timezone.utc).strftime(form)
    except (OverflowError, OSError, ValueError):
        return f"{ns // _NS} s since 1970"


def render(scan: Scan, owner: str, owners: int, output: Terminal) -> list[str]:
    """UsageError: the scan has nobody of that name."""
    owned_by, _, name = owner.partition(":")
    if owner != "all" and name not in scan.owners(owned_by):
        known = ", ".join(f"user:{one}" for one in scan.owners("user")[:3])
        raise UsageError(f"{scan.path}: has no files of '{owner}'; there are {known} and others, see --json")
    lines = _head(scan, output)
    if owner == "all":
        for kind in ("project", "user", "group"):
            lines += _owners(scan, kind, owners, output)
    for histogram in _SHOWN:
        lines += _histogram(scan, histogram, owned_by, name, output)
    return lines + _problems(scan, output)


def _head(scan: Scan, output: Terminal) -> list[str]:
    n = scan.number
    seconds = max(n("end_utc_ns") - n("start_utc_ns"), 0) / _NS
    entries = sum(n(name) for name in ("files", "directories", "symlinks", "others"))
    rate = f", {number(round(entries / seconds))} entries/s" if seconds > 0 else ""
    lines = [
        output.bold(printable(scan.root)) + f" on {printable(scan.facts.get('host', ''))}",
        f"{date(n('start_utc_ns'))}, {seconds:.1f} s{rate}",
        "",
        f"  {count(n('files'), 'file')}, {size(n('bytes'))}, {size(n('capacity'))} allocated; "
        f"the largest {size(n('largest'))}",
        f"  {count(n('directories'), 'directory', 'directories')}, {count(n('symlinks'), 'symbolic link')}, "
        f"{count(n('others'), 'other')}",
    ]
    notes = [
        (n("repeated_links"), "more name", "more names", "of files with several links"),
        (n("links_elsewhere"), "file", "files", "with links outside"),
        (n("mounts"), "other file system", "other file systems", "not entered"),
        (n("vanished"), "entry", "entries", "gone when looked at"),
    ]
    lines += [f"  {count(amount, one, many)} {text}" for amount, one, many, text in notes if amount]
    if MOST in (n("bytes"), n("capacity")):
        lines.append(output.warn(f"  sums of bytes end at {size(MOST)}: there are more"))
    if not scan.complete:
        why = printable(scan.facts.get("complete", "").removeprefix("no: "))
        lines.append(output.warn(f"  incomplete: {why}"))
    return lines


def _owners(scan: Scan, kind: str, most: int, output: Terminal) -> list[str]:
    owners = scan.owners(kind)
    if not owners or most == 0:
        return []
    total = max(scan.number("files"), 1)
    lines = ["", output.bold(f"{kind:<24} {'files':>15}         {'bytes':>10}")]
    for owner in owners[:most]:
        files, length = scan.sums(kind, owner)
        name = shorten_right(printable(owner) or "(none)", 24)
        lines.append(f"{name:<24} {number(files):>15} {percent(files / total):>7} {size(length):>10}")
    rest = len(owners) - most
    return [*lines, f"and {number(rest)} more"] if rest > 0 else lines


def _edge(histogram: str, value: int) -> str:
    unit = bins.HISTOGRAMS[histogram].unit
    if unit == "bytes":
        return size(value)
    if unit != "seconds":
        return number(value)
    for length, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if value >= length:
            return f"{number(value // length)} {name}"
    return f"{value} s"


def _histogram(scan: Scan, histogram: str, owned_by: str, owner: str, output: Terminal) -> list[str]:
    found = scan.histogram(histogram, owned_by, owner)
    if not found:
        return []
    info = bins.HISTOGRAMS[histogram]
    total, greatest = sum(one.files for one in found.values()), max(one.files for one in found.values())
    title = f"{histogram.replace('_', ' ')}: {info.doc}"
    rows = [(_range(histogram, bucket), one) for bucket, one in found.items()]
    width = max(27, *(len(text) for text, _ in rows))
    lines = ["", output.bold(f"{title:<{width + 13}}{info.counts:>15}     so far      bytes")]
    so_far = 0
    for text, one in rows:
        so_far += one.files
        drawn = bar(one.files, greatest, 12, output.unicode)
        share = percent(so_far / max(total, 1))
        lines.append(f"{text:<{width}} {drawn:<12}{number(one.files):>15} {share:>10} {size(one.bytes):>10}")
    return lines


def _range(histogram: str, bucket: int) -> str:
    low, high = bins.edges(histogram, bucket)
    below = _edge(histogram, high) if high is not None else "any"
    return "in the future" if low is None else f"{_edge(histogram, low)} to below {below}"


def _problems(scan: Scan, output: Terminal) -> list[str]:
    if not scan.problems:
        return []
    lines = ["", output.bold("not read")]
    lines += [f"  {printable(path)}: {printable(reason)}" for path, reason in scan.problems[:_PROBLEMS]]
    more = len(scan.problems) - _PROBLEMS + scan.number("unlisted_problems")
    return [*lines, f"  and {number(more)} more; --json has all that are listed"] if more > 0 else lines
