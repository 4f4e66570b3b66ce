"""The facts of a comparison as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._diff_files import file_lines
from headrace.commands._diff_header import header_lines
from headrace.commands._signed import against, amount, change, share
from headrace.commands._terminal import Terminal
from headrace.commands._text import NONE, bar, clip, duration, number, printable, sparkline
from headrace.text import significant, size

Facts = dict[str, Any]

_TOTALS = {
    "run_ns": "run time",
    "io_ns": "I/O time",
    "read.time_ns": "read time",
    "read.bytes": "bytes read",
    "read.calls": "reads",
    "read.errors": "failed reads",
    "write.time_ns": "write time",
    "write.bytes": "bytes written",
    "write.calls": "writes",
    "write.errors": "failed writes",
    "metadata.time_ns": "metadata time",
    "metadata.calls": "metadata calls",
    "metadata.errors": "failed metadata calls",
    "other_ns": "time in pipes, streams, …",
    "mpi_files_ns": "time in the MPI library's own files",
    "files": "files",
    "directories": "directories",
    "processes": "processes",
    "process_ns": "lifetimes of processes",
    "slowest_process_io_ns": "most I/O time of a process",
    "ranks": "ranks",
    "rank_io_ns": "mean I/O time of a rank",
    "slowest_rank_io_ns": "most I/O time of a rank",
    "rank_mpi_ns": "mean communication of a rank",
}
_ROWS = 8  # of a small table


def render(facts: Facts, terminal: Terminal) -> list[str]:
    """All sections; one without content is left out."""
    sections = [header_lines(facts, terminal)]
    if not facts["same"]:
        sections += [
            _totals(facts, terminal),
            _keyed(facts, terminal, "functions", "Functions", "function"),
            file_lines(facts, terminal),
            _sizes(facts, terminal),
            _bandwidth(facts, terminal),
            _keyed(facts, terminal, "mounts", "Mounts", "point", at_least=2),
            _keyed(facts, terminal, "programs", "Programs", "executable", at_least=2),
        ]
    sections.append(_chance(facts, terminal))
    lines: list[str] = []
    for section in sections:
        if section:
            lines += [*section, ""]
    return [clip(line, terminal.columns) for line in lines[:-1]]


def _names(facts: Facts) -> list[str]:
    return [side["name"] for side in facts["sides"]]


def _totals(facts: Facts, terminal: Terminal) -> list[str]:
    """Every figure that is anything in any run: the first side's, then those of others with the change."""
    names = _names(facts)
    repeated = any(len(side["runs"]) > 1 for side in facts["sides"])
    absolute = len(names) == 2 and not repeated  # ranges, and many sides, leave no room for it
    left = [0]
    heading = ["", names[0]]
    for name in names[1:]:
        heading += [name, *([f"{name} {minus(terminal)} {names[0]}"] if absolute else [])]
        left.append(len(heading))
        heading.append("")
    rows: list[Sequence[str]] = [heading]
    for row in _that_tell(facts["totals"]):
        cells = [_TOTALS[row["key"]], _value(row, 0)]
        for place in range(1, len(names)):
            moved = row["changes"][place]
            mark = "  *" if moved["beyond_spread"] else ""
            cells += [_value(row, place), *([change(moved["amount"], row["unit"])] if absolute else [])]
            cells.append(against(row["values"][0], row["values"][place]) + mark)
        rows.append(cells)
    table = columns(rows, left=frozenset(left))
    title = "What changed" + (": means, and ranges of the runs of each side" if repeated else "")
    return [terminal.bold(title), terminal.dim(table[0]), *table[1:]]


def _that_tell(totals: list[Facts]) -> list[Facts]:
    """Without figures that are nothing everywhere, or that compare processes where there is one."""
    single = all(value == 1 for row in totals if row["key"] == "processes" for value in row["values"])
    left_out = {"process_ns", "slowest_process_io_ns"} if single else set()
    return [row for row in totals if any(row["values"]) and row["key"] not in left_out]


def minus(terminal: Terminal) -> str:
    return "\u2212" if terminal.unicode else "-"


def _value(row: Facts, place: int) -> str:
    text = amount(row["values"][place], row["unit"])
    least, greatest = row["least"][place], row["greatest"][place]
    if least is None or least == greatest:
        return text
    return f"{text} ({amount(least, row['unit'])}…{amount(greatest, row['unit'])})"


def _keyed(
    facts: Facts, terminal: Terminal, table: str, title: str, key: str, at_least: int = 1
) -> list[str]:
    """A table of things that are matched by name, what explains most of the change of time first."""
    rows = facts[table]
    changed = [row for row in rows if any(_moved(moved) for moved in row["changes"][1:])]
    if not changed or len(rows) < at_least:
        return []
    names, time = _names(facts), "io_ns" if table == "programs" else "time_ns"
    heading: list[str] = []
    if len(names) == 2:
        heading += [f"{names[1]} {minus(terminal)} {names[0]}", "share"]
    heading += [f"time {name}" for name in names]
    extra = {"functions": ("calls", "count"), "mounts": ("files", "count"), "programs": ("images", "count")}
    figure, unit = extra[table]
    heading += [f"{figure} {name}" for name in names] + [key]
    cells: list[Sequence[str]] = [heading]
    for row in changed[:_ROWS]:
        line: list[str] = []
        for moved in row["changes"][1:2] if len(names) == 2 else []:
            line += [change(moved[time], "ns"), share(moved["share"])]
        line += [NONE if side is None else amount(side[time], "ns") for side in row["sides"]]
        line += [NONE if side is None else amount(side[figure], unit) for side in row["sides"]]
        cells.append([*line, printable(row[key]) or "not known"])
    lines = columns(cells, left=frozenset({len(heading) - 1}), room=terminal.columns)
    more = len(changed) - _ROWS
    rest = [terminal.dim(f"  … and {number(more)} more: see --json")] if more > 0 else []
    first = f"{title}, greatest change of time first"
    return [terminal.bold(first), terminal.dim(lines[0]), *lines[1:], *rest]


def _moved(moved: Facts) -> bool:
    return any(value for key, value in moved.items() if key != "share")


def _sizes(facts: Facts, terminal: Terminal) -> list[str]:
    """A line a bucket and side, on one scale; nothing where all sides have the same."""
    lines: list[str] = []
    names = _names(facts)
    for direction in ("read", "write"):
        buckets = facts["sizes"][direction]
        if all(len(set(bucket["operations"])) == 1 for bucket in buckets):
            continue
        greatest = max(max(bucket["operations"]) for bucket in buckets)
        rows = []
        for bucket in buckets:
            span = f"{size(bucket['over'])} < … ≤ {size(bucket['to'])}" if bucket["to"] > 1 else "≤ 1 B"
            for place, (name, operations) in enumerate(zip(names, bucket["operations"], strict=True)):
                drawn = bar(operations, greatest, min(30, terminal.graph_columns), terminal.unicode)
                said = amount(operations, "count") if operations else NONE
                rows.append(("" if place else span, name, said, drawn))
        lines += [terminal.bold(f"Sizes of {direction}s"), *columns(rows, left=frozenset({1, 3}))]
    return lines


def _bandwidth(facts: Facts, terminal: Terminal) -> list[str]:
    """The sides under each other, with one scale of time and one of bandwidth for each direction."""
    bandwidth = facts["bandwidth"]
    if bandwidth["span_ns"] <= 0:
        return []
    lines = []
    for key, word in (("bytes_read", "read"), ("bytes_written", "write")):
        greatest = max(max(side[key], default=0) for side in bandwidth["sides"])
        if greatest <= 0:
            continue
        for name, side in zip(_names(facts), bandwidth["sides"], strict=True):
            # The greatest of all sides stands behind each, so that all are drawn to one scale.
            drawn = sparkline([*side[key], greatest], terminal.unicode)[:-1]
            peak = max(side[key]) / bandwidth["span_ns"] * 1e9
            lines.append(f"  {word:<5} {name} |{drawn}| peak {size(peak)}/s")
    if not lines:
        return []
    bins = len(bandwidth["sides"][0]["bytes_read"])
    end = duration(bandwidth["span_ns"] * bins)
    edge = " " * (9 + len(_names(facts)[0]))
    lines.append(terminal.dim(f"{edge}0{end.rjust(bins - 1)}  ({duration(bandwidth['span_ns'])} each)"))
    return [terminal.bold("Bytes over time, all on one scale"), *lines]


def _chance(facts: Facts, terminal: Terminal) -> list[str]:
    """What the figures prove, and what not."""
    if facts["same"]:
        return []
    names, chances = _names(facts), facts["chance_apart"]
    marked = [place for place in range(1, len(names)) if chances[place] is not None]
    if not marked:
        text = (
            "A single run a side proves nothing about times: they vary from run to run. Repeat each, and "
            "compare with 'headrace diff A1.hr A2.hr A3.hr vs B1.hr B2.hr B3.hr'. Calls and bytes vary less."
        )
        return [terminal.dim(line) for line in terminal.wrap(text)]
    text = "* no run of one side lies within the range of the other."
    for place in marked:
        runs = [len(facts["sides"][side]["runs"]) for side in (0, place)]
        text += (
            f" If {names[place]} were no different from {names[0]}, chance alone would do that to a given "
            f"figure in {significant(chances[place] * 100, 2)} % of cases ({runs[0]} and {runs[1]} runs)."
        )
    return [terminal.dim(line) for line in terminal.wrap(text)]
