"""Records of every module, from what ranks did."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from made_darshan.autoperf import Plain
from made_darshan.counters import NEWEST, names
from made_darshan.figures import figures
from made_darshan.uses import Use

# Readers only compare ids, so that any hash will do, but for these.
_KNOWN = {
    "heatmap:POSIX": 16592106915301738621,
    "heatmap:STDIO": 3989511027826779520,
    "heatmap:MPIIO": 3668870418325792824,
}


def id_of(name: str) -> int:
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    return _KNOWN.get(name, int.from_bytes(digest, "little"))


@dataclass(frozen=True)
class Record:
    """Counters: POSIX, MPI-IO, H5F, H5D, PNETCDF_FILE, PNETCDF_VAR, STDIO. Rank -1: of all ranks together."""

    id: int
    rank: int
    values: dict[str, float]  # by full names, as the version stores them
    file: int = 0


@dataclass(frozen=True)
class Component:
    """Size, count, pattern, flags, begin and end of the extent, mirror; and the pool."""

    counters: tuple[int, int, int, int, int, int, int]
    pool: str = ""


@dataclass(frozen=True)
class Stripes:
    """LUSTRE. `unused`: places for components that the file did not take, as Darshan leaves them."""

    id: int
    rank: int
    components: list[Component]
    targets: list[int]
    unused: int = 0


@dataclass(frozen=True)
class TimeLine:
    """HEATMAP: bytes in spans of `width_s` seconds."""

    id: int
    rank: int
    width_s: float
    written: list[int]
    read: list[int]


Segment = tuple[int, int, float, float, int]  # offset, length, start and end in seconds, thread


@dataclass(frozen=True)
class Trace:
    """DXT: what one rank did to a file. Older versions have no threads."""

    id: int
    rank: int
    host: str
    shared: int  # -1: a file of all ranks
    writes: list[Segment]
    reads: list[Segment]


AnyRecord = Record | Stripes | TimeLine | Trace | Plain


def record(module: str, version: int, name: str, uses: list[Use], file: str = "", **more: float) -> Record:
    """Of one rank, or of all ranks if there are several uses. `more` sets counters by their short names."""
    prefix = NEWEST[module][1]
    found = figures(uses)
    together = "COLL" if len(uses) > 1 else "INDEP"
    for what in ("OPENS", "READS", "WRITES"):
        found[f"{together}_{what}"] = found.get(what, 0)
    if module == "PNETCDF_FILE" and len(uses) > 1 and version < 3:
        found["INDEP_OPENS"] = 0  # OPENS are the collective ones
    found |= more
    counts, reals = names(module, version)
    values: dict[str, float] = {full: int(found.get(full.removeprefix(prefix + "_"), 0)) for full in counts}
    values |= {full: float(found.get(full.removeprefix(prefix + "_"), 0.0)) for full in reals}
    return Record(id_of(name), uses[0].rank if len(uses) == 1 else -1, values, id_of(file) if file else 0)


def trace(name: str, use: Use, host: str, *, shared: bool) -> Trace:
    def segments(writes: bool) -> list[Segment]:
        return [(each.offset, each.size, each.start, each.end, 7000 + use.rank) for each in use.of(writes)]

    return Trace(id_of(name), use.rank, host, -1 if shared else 0, segments(True), segments(False))


def time_line(name: str, rank: int, uses: list[Use], width_s: float, bins: int) -> TimeLine:
    line: dict[bool, list[int]] = {True: [0] * bins, False: [0] * bins}
    for use in uses:
        for each in use.operations:
            line[each.writes][min(int(each.end / width_s), bins - 1)] += each.size
    return TimeLine(id_of(name), rank, width_s, line[True], line[False])
