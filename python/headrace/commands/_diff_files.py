"""The main table of `headrace diff`: a line of changes a file, and one that says what was done otherwise."""

from __future__ import annotations

from typing import Any

from headrace.commands._show_rows import FLAGS, rows_of, typical_size, wrap
from headrace.commands._signed import amount, change, share
from headrace.commands._terminal import Terminal
from headrace.commands._text import (
    NONE,
    NOT_RECORDED,
    if_recorded,
    number,
    percent,
    printable,
    shorten_left,
    width,
)
from headrace.text import count

Facts = dict[str, Any]


def file_lines(facts: Facts, terminal: Terminal) -> list[str]:
    files = facts["files"]
    lines = _table(facts, terminal) if files["rows"] else []
    for place in range(1, len(facts["sides"])):
        lines += [terminal.dim(line) for line in terminal.wrap(_matching(facts, place), "  ", "    ")]
    return lines


def _table(facts: Facts, terminal: Terminal) -> list[str]:
    names = [side["name"] for side in facts["sides"]]
    minus = "\u2212" if terminal.unicode else "-"
    heading = [f"{names[1]} {minus} {names[0]}", "share"] if len(names) == 2 else []
    for figure in ("time", "bytes", "calls"):
        heading.append(f"{figure} " + " → ".join(names))
    bases = _bases(facts)
    cells = [_figures(row) for row in facts["files"]["rows"]]
    widths = [max(width(line[place]) for line in [heading, *cells]) for place in range(len(heading))]
    room = None if terminal.columns is None else max(20, terminal.columns - 2 - sum(widths) - 2 * len(widths))

    def line(figures: list[str], name: str) -> str:
        padded = (" " * (widths[place] - width(cell)) + cell for place, cell in enumerate(figures))
        return "  " + "  ".join(padded) + "  " + name

    what = "file" if facts["by"] == "path" else facts["by"]
    lines = [terminal.bold(_title(facts)), terminal.dim(line(heading, what))]
    for row, figures in zip(facts["files"]["rows"], cells, strict=True):
        lines.append(line(figures, shorten_left(_name(row, bases), room)))
        lines += [
            terminal.dim(" " * 6 + text) for text in wrap(_words(row, names), (terminal.columns or 110) - 6)
        ]
    return lines


def _bases(facts: Facts) -> list[str]:
    """The working directory of each run, the first side's first."""
    return [str(run["job"]["working_directory"] or "") for side in facts["sides"] for run in side["runs"]]


def _title(facts: Facts) -> str:
    files = facts["files"]
    title = "Files" if facts["by"] == "path" else "Directories"
    if facts["sort"] == "path":
        title += ", by name"
    else:
        title += f", greatest change of {facts['sort']} first"
    more = files["rows_in_all"] - len(files["rows"])
    shown = (
        f"{number(len(files['rows']))} of {number(files['rows_in_all'])} changed{rows_of(files['rows_of'])}"
    )
    return title + (f" ({shown}; --files N shows more)" if more > 0 else "")


def _figures(row: Facts) -> list[str]:
    cells = []
    if len(row["sides"]) == 2:
        moved = row["changes"][1]
        cells += [change(moved["time_ns"], "ns"), share(moved["share"])]
    for figure, unit in (("time_ns", "ns"), ("bytes", "bytes"), ("calls", "count")):
        said = [NONE if side is None else amount(side[figure], unit) for side in row["sides"]]
        cells.append(said[0] if len(set(said)) == 1 else " → ".join(said))
    return cells


def _name(row: Facts, bases: list[str]) -> str:
    """From the working directory where that is what a file is matched by, or where it is that of all runs."""
    path = row["path"]
    below = [base for base in bases if len(base) > 1 and path.startswith(base + "/")]
    if below and (row["matched"] == "directory" or len(set(bases)) == 1):
        path = path[len(below[0]) + 1 :]
    name = printable(path)
    if row["kind"] == "directory" and name != "/":
        name += "/"
    return name + (" (files together for want of --memory)" if row["kind"] == "directory_rollup" else "")


def _words(row: Facts, names: list[str]) -> list[str]:
    """What was done otherwise; of a file that one side lacks, that."""
    present = [name for name, side in zip(names, row["sides"], strict=True) if side is not None]
    parts = [f"only in {', '.join(present)}"] if len(present) < len(names) else []
    sides = [side for side in row["sides"] if side is not None]
    if "access" not in sides[0]:
        return parts
    for way in ("read", "write"):
        parts += [f"{way}s {text}" for text in _access([side["access"][way] for side in sides])]
    for key in ("opens", "syncs", "errors", "processes"):
        parts += _otherwise(
            key, [if_recorded(side[key], lambda value: amount(value, "count")) for side in sides]
        )
    said = [", ".join(text for flag, text in FLAGS.items() if flag in side["flags"]) for side in sides]
    return parts + _otherwise("", [text or "not so" for text in said])


def _access(sides: list[Facts]) -> list[str]:
    """Of one direction: the aspects in which sides differ. A side without operations has none."""
    sides = [side for side in sides if side["operations"]]
    if len(sides) < 2:
        return []
    unaligned = [
        NOT_RECORDED if side["unaligned"] is None else percent(side["unaligned"] / side["operations"])
        for side in sides
    ]
    texts = _otherwise("of", [typical_size(side) if side["common_sizes"] else NONE for side in sides])
    texts += _otherwise("", [str(side["pattern"] or NONE) for side in sides])
    return texts + _otherwise("unaligned", unaligned)


def _otherwise(what: str, values: list[str]) -> list[str]:
    return [f"{what} {' → '.join(values)}".strip()] if len(set(values)) > 1 else []


def _matching(facts: Facts, place: int) -> str:
    """How many files were matched how, so that nobody takes a missing match for a change."""
    counts = facts["files"]["matched"][place]
    first, name = facts["sides"][0]["name"], facts["sides"][place]["name"]
    by_path = facts["by"] == "path"
    # A path may be that of a directory, which is no file.
    one, many = ("path", "paths") if by_path else ("directory", "directories")
    parts = [f"{count(counts['by_path'], one, many)} of both matched"]
    if counts["by_directory"]:
        where = " and ".join(
            printable(facts["sides"][side]["runs"][0]["job"]["working_directory"]) for side in (0, place)
        )
        parts.append(f"{number(counts['by_directory'])} by their names from {where}")
    for key, which in (("only_in_base", first), ("only_in_side", name)):
        if counts[key]:
            spent = amount(counts[f"time_ns_{key}"], "ns")
            parts.append(f"{number(counts[key])} only in {which} ({spent})")
    return f"{first} and {name}: " + ", ".join(parts) + "."
