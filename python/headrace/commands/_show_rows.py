"""The main table of `headrace show`: a line of figures a file, and one that says how it was used."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from headrace.analysis.call_sites import place as call_site
from headrace.commands._show_parallel import property_words, rank_words
from headrace.commands._terminal import Terminal
from headrace.commands._text import (
    NONE,
    calls,
    duration,
    exact_size,
    files_and_directories,
    files_counted,
    number,
    percent,
    printable,
    shorten_left,
    width,
)
from headrace.text import count, size

Facts = dict[str, Any]

_TITLES = {"path": "Files", "process": "Processes", "directory": "Directories"}
_SORTS = {
    "time": "most time first",
    "bytes": "most bytes first",
    "calls": "most calls first",
    "path": "by name",
}
# Said in the line of words; the rest has a place of its own or matters to few.
FLAGS = {
    "created": "created",
    "truncated": "truncated at open",
    "append": "appended to",
    "direct": "O_DIRECT",
    "synchronous": "O_SYNC",
    "deleted": "deleted",
    "temporary": "temporary",
    "asynchronous": "asynchronous I/O",
    "lower_bound": "calls and bytes are lower bounds",
    "partial": "in part in the roll-up of its directory: more --memory keeps it apart",
    "offsets_unknown": "some offsets unknown",
}


def row_lines(facts: Facts, terminal: Terminal) -> list[str]:
    rows = facts["rows"]
    if not rows:
        return []
    heading: tuple[str, ...] = ("time", "read", "written", "reads", "writes", "opens")
    cells = [_figures(row) for row in rows]
    widths = [max(width(row[place]) for row in [heading, *cells]) for place in range(len(heading))]
    indent = 2 + sum(widths) + 2 * len(widths)
    room = None if terminal.columns is None else max(20, terminal.columns - indent)

    def line(figures: Sequence[str], name: str) -> str:
        return "  " + "".join(f"{cell:>{widths[place]}}  " for place, cell in enumerate(figures)) + name

    stood_for = bool(facts["parallel"] and facts["parallel"].get("stood_for"))
    base = str(facts["job"]["working_directory"] or "") if facts["by"] != "process" else ""
    title = f"{_TITLES[facts['by']]}, {_SORTS[facts['sort']]}"
    more = facts["rows_in_all"] - len(rows)
    if more > 0:
        what = rows_of(facts["rows_of"])
        title += f" ({number(len(rows))} of {number(facts['rows_in_all'])}{what}; --files N shows more)"
    if any(_below(row.get("path", ""), base) for row in rows):
        title += f", names from {printable(base)}"
    lines = [
        terminal.bold(title),
        terminal.dim(line(heading, "file" if facts["by"] == "path" else facts["by"])),
    ]
    for row, figures in zip(rows, cells, strict=True):
        lines.append(line(figures, shorten_left(_name(row, base, stood_for), room)))
        lines += [
            terminal.dim(" " * 6 + text) for text in _words(row, facts["by"], len(facts["mounts"]), terminal)
        ]
    return lines


def rows_of(counts: dict[str, int] | None) -> str:
    """What the rows are, where they are not files alone."""
    if not counts or counts["files"] == sum(counts.values()):
        return ""
    words = [count(counts["files"], "file")]
    words += [count(counts["directories"], "directory", "directories")] if counts["directories"] else []
    words += [count(counts["rollups"], "sum") + " of small files"] if counts["rollups"] else []
    return f": {', '.join(words)}"


def _figures(row: Facts) -> tuple[str, ...]:
    return (
        duration(row["time_ns"]),
        size(row["read"]["bytes"]) if row["read"]["calls"] else NONE,
        size(row["write"]["bytes"]) if row["write"]["calls"] else NONE,
        number(row["read"]["calls"]),
        number(row["write"]["calls"]),
        number(row["opens"]),
    )


def _below(path: str, base: str) -> bool:
    return len(base) > 1 and path.startswith(base + "/")


def _name(row: Facts, base: str, stood_for: bool) -> str:
    if "pid" in row:
        words = row["arguments"] or [row["executable"]]
        # One record of what all ranks did is of no process.
        who = "all ranks together" if row["pid"] is None else str(row["pid"])
        return printable(" ".join([who, *words]))
    path = row["path"]
    name = printable(path[len(base) + 1 :] if _below(path, base) else path)
    if row.get("kind") == "directory" and name != "/":
        name += "/"
    if row.get("kind") == "directory_rollup":
        is_sum = stood_for and path == str(row.get("mount") or "/").rstrip("/") + "/*"
        why = "of ranks that others stand for" if is_sum else "for want of --memory"
        name += f" ({files_counted(row['folded_files'], row['files_are'])} together {why})"
    return name


def _words(row: Facts, by: str, mounts: int, terminal: Terminal) -> list[str]:
    parts = []
    if row.get("final_path", row.get("path")) != row.get("path"):
        parts.append(f"renamed to {printable(_relative(row['final_path'], row['path']))}")
    parts += filter(None, (_direction(row, way) for way in ("read", "write") if row[way]["calls"]))
    if row.get("mount") and mounts > 1:
        parts.append(f"on {printable(row['mount'])}")
    if row["mapped_bytes"]:
        parts.append(f"mapped {size(row['mapped_bytes'])}")
    if row["metadata"]["calls"] and row["metadata"]["time_ns"] * 4 > row["time_ns"]:
        metadata = row["metadata"]
        parts.append(f"metadata: {calls(metadata['calls'])}, {duration(metadata['time_ns'])}")
    if by == "directory":
        parts.append(files_and_directories(row))
    if by != "process" and row["processes"] > 1:
        parts.append(f"{number(row['processes'])} processes")
    if by == "path":
        parts += [*rank_words(row), *property_words(row)]
        is_rollup = row["kind"] == "directory_rollup"
        flags = [flag for flag in row["flags"] if not (is_rollup and flag == "partial")]
        parts += [text for flag, text in FLAGS.items() if flag in flags]
    parts += _code(row.get("sites", []))
    errors = sum(row[part]["errors"] or 0 for part in ("read", "write", "metadata"))
    if errors:
        parts.append(count(errors, "failed call"))
    return wrap(parts, (terminal.columns or 110) - 6)


def _code(sites: list[Facts]) -> list[str]:
    """The code that opened the file, and that of its slowest operations where that is another function."""
    texts: dict[str, str] = {}
    for site in sites:
        text = printable(call_site(site))
        if text:
            texts.setdefault(site["what"], text)
    parts = [f"opened by {texts['open']}"] if "open" in texts else []
    for way in ("read", "write"):
        text = texts.get(f"slowest_{way}", "")
        if text and text.split(" at ")[0] != texts.get("open", "").split(" at ")[0]:
            parts.append(f"slowest {way} by {text}")
    return parts


def _direction(row: Facts, way: str) -> str:
    facts = row["access"][way]
    words = []
    if facts["common_sizes"]:
        words.append(typical_size(facts))
    if facts["pattern"]:
        words.append(_pattern(facts))
    if facts["unaligned"]:
        words.append(f"{percent(facts['unaligned'] / facts['operations'])} unaligned")
    if facts["slowest_ns"]:
        words.append(f"slowest {duration(facts['slowest_ns'])} for {size(facts['slowest_bytes'])}")
    # A library's calls are counted above, and the system's, which are others, are described here.
    own, requests = row[way]["calls"], facts["operations"]
    of_system = f" in {count(requests, 'request')} of the system" if own and requests != own else ""
    return f"{way}s{of_system}: {', '.join(words)}" if words else ""


def typical_size(facts: Facts) -> str:
    """Of the operations that moved anything: the end of a file is met once by whoever reads to it."""
    sizes = facts["common_sizes"]
    nothing = sum(each["operations"] for each in sizes if each["bytes"] == 0)
    top = next((each for each in sizes if each["bytes"]), sizes[0])
    operations = facts["operations"] - (nothing if top["bytes"] else 0)
    share = min(1.0, top["operations"] / operations) if operations > 0 else 0
    if share == 1 and top["exact"]:
        return exact_size(top["bytes"])
    return f"{exact_size(top['bytes'])} ({percent(share)})" if share >= 0.25 else "sizes vary"


def _pattern(facts: Facts) -> str:
    pattern = str(facts["pattern"])
    steps = facts["consecutive"] + facts["forward"] + facts["backward"]
    if pattern == "forward" and facts["common_strides"]:
        stride = facts["common_strides"][0]
        if stride["operations"] >= 0.8 * steps:
            return f"every {exact_size(stride['bytes'])}"
    if pattern == "random" and facts["consecutive"]:
        return f"random ({percent(facts['consecutive'] / steps)} consecutive)"
    return pattern


def _relative(name: str, other: str) -> str:
    """Only the last part of a name in the same directory."""
    head, slash, tail = name.rpartition("/")
    return tail if slash and other.startswith(head + "/") and "/" not in other[len(head) + 1 :] else name


def wrap(parts: list[str], room: int) -> list[str]:
    lines: list[str] = []
    for part in parts:
        text = f"{lines[-1]} · {part}" if lines else part
        if lines and width(text) <= room:
            lines[-1] = text
        else:
            lines += textwrap.wrap(part, room, subsequent_indent="  ", break_on_hyphens=False)
    return lines
