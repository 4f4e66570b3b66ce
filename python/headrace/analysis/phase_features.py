"""What ranks did in a phase, as tables to cluster (section V of the paper on pF3D).

calls      seconds in each function on files, without those in other captured calls below it
messages   the same of functions of MPI
bandwidth  bytes read and written in each of SPANS equal spans of the phase, from the first rank's begin
sizes      how many reads and writes had a size in each of at most BINS adaptive bins
"""

from __future__ import annotations

from array import array
from collections import defaultdict

from headrace.analysis.phase_ranks import Facts, Member, selected
from headrace.analysis.point_tables import PointTable
from headrace.logs import JobLog

SPANS = 16  # docs/results/phases-2026-11.md: what fewer and more do
BINS = 16
KINDS = ("calls", "messages", "bandwidth", "sizes")

Columns = dict[str, list[float]]


def features(log: JobLog, kind: str, who: list[Member], path: str, instance: int) -> PointTable | None:
    """A row a member; None where nothing of the kind happened."""
    place = {member.process: number for number, member in enumerate(who)}
    if kind in ("calls", "messages"):
        columns = _profile(selected(log, "phase_profiles", path, instance), place, kind == "messages")
    elif kind == "sizes":
        columns = _sizes(selected(log, "phase_sizes", path, instance), place)
    else:
        columns = bandwidth(selected(log, "phase_series", path, instance), place)
    if not any(any(column) for column in columns.values()):
        return None
    values = array("d", bytes(8 * len(who) * len(columns)))
    for number, column in enumerate(columns.values()):
        for row, value in enumerate(column):
            values[row * len(columns) + number] = value
    return PointTable(values, True, len(who), list(columns), [member.name for member in who])


def _profile(rows: list[Facts], place: dict[int, int], of_messages: bool) -> Columns:
    columns: Columns = {}
    for row in rows:
        number = place.get(row["process"])
        if number is None or (row["layer"] == "mpi") is not of_messages:
            continue
        column = columns.setdefault(f"{row['layer']}:{row['function']}", [0.0] * len(place))
        column[number] += row["own_ns"] * 1e-9
    return dict(sorted(columns.items()))


def span_ns(log: JobLog, who: list[Member], path: str, instance: int) -> float:
    """How long each span of the kind "bandwidth" is; 0 where no file was read or written."""
    place = {member.process: number for number, member in enumerate(who)}
    rows = _of_files(selected(log, "phase_series", path, instance), place)
    return _grid(rows)[1] if rows else 0.0


def _of_files(rows: list[Facts], place: dict[int, int]) -> list[Facts]:
    return [row for row in rows if row["direction"] != "message" and row["process"] in place]


def _grid(rows: list[Facts]) -> tuple[int, float]:
    """Begin and length of the first span."""
    begin = min(row["start_at_ns"] for row in rows)
    return begin, max(1.0, (max(row["start_at_ns"] + row["width_ns"] for row in rows) - begin) / SPANS)


def bandwidth(rows: list[Facts], place: dict[int, int]) -> Columns:
    rows = _of_files(rows, place)
    if not rows:
        return {}
    begin, span = _grid(rows)
    names = [f"{way}:{number}" for way in ("read", "write") for number in range(SPANS)]
    columns = {name: [0.0] * len(place) for name in names}
    for row in rows:
        column = f"{row['direction']}:"
        first = (row["start_at_ns"] - begin) / span
        last = (row["start_at_ns"] + row["width_ns"] - begin) / span
        for number in range(int(first), min(SPANS, int(last) + 1)):
            part = max(0.0, min(last, number + 1) - max(first, number)) / max(last - first, 1e-9)
            columns[f"{column}{number}"][place[row["process"]]] += part * row["bytes"]
    return columns


def _sizes(rows: list[Facts], place: dict[int, int]) -> Columns:
    rows = [row for row in rows if row["process"] in place]
    columns: Columns = {}
    for way in ("read", "write"):
        mine = [row for row in rows if row["direction"] == way and row["least"] <= row["most"]]
        bins = adaptive_bins(mine)
        for low, high in bins:
            columns[f"{way}:{low}-{high}"] = [0.0] * len(place)
        for row in mine:
            low, high = bins[bin_of(row, bins)]
            columns[f"{way}:{low}-{high}"][place[row["process"]]] += row["count"]
    return columns


def bin_of(row: Facts, bins: list[tuple[int, int]]) -> int:
    """The one of adaptive bins that has this row: bins overlap in damaged logs, so the nearest from above."""
    return min((at for at, (_, high) in enumerate(bins) if row["least"] <= high), default=len(bins) - 1)


def adaptive_bins(rows: list[Facts], most: int = BINS) -> list[tuple[int, int]]:
    """Neighbouring bins joined until there are at most so many: always the two with the fewest operations.

    So bins are narrow where operations are many, whatever the program's sizes.
    """
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for row in rows:
        counts[row["least"], row["most"]] += row["count"]
    bins = sorted((low, high, count) for (low, high), count in counts.items())
    while len(bins) > most:
        at = min(range(len(bins) - 1), key=lambda n: (bins[n][2] + bins[n + 1][2], n))
        bins[at : at + 2] = [(bins[at][0], bins[at + 1][1], bins[at][2] + bins[at + 1][2])]
    return [(low, high) for low, high, _ in bins]
