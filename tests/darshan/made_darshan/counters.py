"""Names of the counters of each module's records, version by version, in the order of the record.

Facts of the headers include/darshan-*-log-format.h of Darshan's releases.
"""

from __future__ import annotations


def words(text: str) -> list[str]:
    return text.split()


RANGES = words("0_100 100_1K 1K_10K 10K_100K 100K_1M 1M_4M 4M_10M 10M_100M 100M_1G 1G_PLUS")
_DIMENSIONS = [f"{what}_D{number}" for what in ("LENGTH", "STRIDE") for number in range(1, 6)]
_SLOWEST = words("MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE")
_RANKS = words("FASTEST_RANK FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES")
_RANK_TIMES = words("FASTEST_RANK_TIME SLOWEST_RANK_TIME VARIANCE_RANK_TIME VARIANCE_RANK_BYTES")
_TIMES = [
    *(f"{what}_START_TIMESTAMP" for what in ("OPEN", "READ", "WRITE", "CLOSE")),
    *(f"{what}_END_TIMESTAMP" for what in ("OPEN", "READ", "WRITE", "CLOSE")),
    *words("READ_TIME WRITE_TIME META_TIME MAX_READ_TIME MAX_WRITE_TIME"),
    *_RANK_TIMES,
]


def _sizes(infix: str = "") -> list[str]:
    return [f"SIZE_{direction}_{infix}{span}" for direction in ("READ", "WRITE") for span in RANGES]


def _four(what: str, *, shapes: bool = False) -> list[str]:
    values = [
        name
        for number in range(1, 5)
        for name in [f"{what}{number}_{what}", *(f"{what}{number}_{part}" for part in _DIMENSIONS if shapes)]
    ]
    return [*values, *(f"{what}{number}_COUNT" for number in range(1, 5))]


_KINDS = [
    f"{call}{kind}"
    for call, kinds in [
        ("PUT_VAR", ["", *"1ASMND"]), ("GET_VAR", ["", *"1ASMND"]),
        ("IPUT_VAR", ["", *"1ASMN"]), ("IGET_VAR", ["", *"1ASMN"]), ("BPUT_VAR", ["", *"1ASMN"]),
    ]
    for kind in kinds
]  # fmt: skip

# The newest version of each: its number, the prefix of its names, its integers and its doubles.
NEWEST: dict[str, tuple[int, str, list[str], list[str]]] = {
    "POSIX": (4, "POSIX", [
        *words("OPENS FILENOS DUPS READS WRITES SEEKS STATS MMAPS FSYNCS FDSYNCS"),
        *words("RENAME_SOURCES RENAME_TARGETS RENAMED_FROM MODE BYTES_READ BYTES_WRITTEN MAX_BYTE_READ"),
        *words("MAX_BYTE_WRITTEN CONSEC_READS CONSEC_WRITES SEQ_READS SEQ_WRITES RW_SWITCHES"),
        *words("MEM_NOT_ALIGNED MEM_ALIGNMENT FILE_NOT_ALIGNED FILE_ALIGNMENT"),
        *_SLOWEST, *_sizes(), *_four("STRIDE"), *_four("ACCESS"), *_RANKS,
    ], _TIMES),
    "MPI-IO": (3, "MPIIO", [
        *words("INDEP_OPENS COLL_OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES"),
        *words("SPLIT_READS SPLIT_WRITES NB_READS NB_WRITES SYNCS HINTS VIEWS MODE"),
        *words("BYTES_READ BYTES_WRITTEN RW_SWITCHES"),
        *_SLOWEST, *_sizes("AGG_"), *_four("ACCESS"), *_RANKS,
    ], _TIMES),
    "H5F": (3, "H5F", ["OPENS", "FLUSHES", "USE_MPIIO"], [
        *(f"{what}_{end}_TIMESTAMP" for end in ("START", "END") for what in ("OPEN", "CLOSE")), "META_TIME",
    ]),
    "H5D": (2, "H5D", [
        *words("OPENS READS WRITES FLUSHES BYTES_READ BYTES_WRITTEN RW_SWITCHES"),
        *words("REGULAR_HYPERSLAB_SELECTS IRREGULAR_HYPERSLAB_SELECTS POINT_SELECTS"),
        *_SLOWEST, *_sizes("AGG_"), *_four("ACCESS", shapes=True),
        *words("DATASPACE_NDIMS DATASPACE_NPOINTS DATATYPE_SIZE"),
        *(f"CHUNK_SIZE_D{number}" for number in range(1, 6)),
        "USE_MPIIO_COLLECTIVE", "USE_DEPRECATED", *_RANKS,
    ], _TIMES),
    "PNETCDF_FILE": (3, "PNETCDF_FILE", [
        *words("CREATES OPENS REDEFS INDEP_WAITS COLL_WAITS SYNCS BYTES_READ BYTES_WRITTEN WAIT_FAILURES"),
    ], [
        *(f"{what}_START_TIMESTAMP" for what in ("OPEN", "CLOSE", "WAIT")),
        *(f"{what}_END_TIMESTAMP" for what in ("OPEN", "CLOSE", "WAIT")), "META_TIME", "WAIT_TIME",
    ]),
    "PNETCDF_VAR": (1, "PNETCDF_VAR", [
        *words("OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES NB_READS NB_WRITES"),
        *words("BYTES_READ BYTES_WRITTEN RW_SWITCHES"), *_KINDS,
        *_SLOWEST, *_sizes("AGG_"), *_four("ACCESS", shapes=True),
        *words("NDIMS NPOINTS DATATYPE_SIZE IS_RECORD_VAR"), *_RANKS,
    ], _TIMES),
    "STDIO": (2, "STDIO", [
        *words("OPENS FDOPENS READS WRITES SEEKS FLUSHES BYTES_WRITTEN BYTES_READ"),
        "MAX_BYTE_READ", "MAX_BYTE_WRITTEN", *_RANKS,
    ], [
        *words("META_TIME WRITE_TIME READ_TIME"),
        *(f"{what}_START_TIMESTAMP" for what in ("OPEN", "CLOSE", "WRITE", "READ")),
        *(f"{what}_END_TIMESTAMP" for what in ("OPEN", "CLOSE", "WRITE", "READ")), *_RANK_TIMES,
    ]),
}  # fmt: skip

# What a version did not have yet, on top of what the next one did not have.
_LACKED: dict[tuple[str, int], str] = {
    ("POSIX", 3): "FILENOS DUPS RENAME_SOURCES RENAME_TARGETS RENAMED_FROM",
    ("POSIX", 2): "F_CLOSE_START_TIMESTAMP F_OPEN_END_TIMESTAMP",
    ("MPI-IO", 2): "F_CLOSE_START_TIMESTAMP F_OPEN_END_TIMESTAMP",
    ("H5F", 2): "FLUSHES USE_MPIIO F_META_TIME",
    ("H5F", 1): "F_CLOSE_START_TIMESTAMP F_OPEN_END_TIMESTAMP",
    ("PNETCDF_FILE", 2): "CREATES REDEFS INDEP_WAITS COLL_WAITS SYNCS BYTES_READ BYTES_WRITTEN WAIT_FAILURES"
    " F_WAIT_START_TIMESTAMP F_WAIT_END_TIMESTAMP F_META_TIME F_WAIT_TIME",
    ("PNETCDF_FILE", 1): "F_CLOSE_START_TIMESTAMP F_OPEN_END_TIMESTAMP",
    ("STDIO", 1): "FDOPENS",
}
# Integers that a version had and the next one dropped: where they stand, and they.
_DROPPED: dict[tuple[str, int], tuple[int, str]] = {
    ("POSIX", 1): (6, "FOPENS FREADS FWRITES FSEEKS"),
    ("PNETCDF_FILE", 2): (0, "INDEP_OPENS"),  # OPENS were the collective ones alone
}


def names(module: str, version: int) -> tuple[list[str], list[str]]:
    """Integers and doubles of a record, by full names."""
    newest, prefix, counts, reals = NEWEST[module]
    counts, reals = list(counts), [f"F_{name}" for name in reals]
    for older in range(newest - 1, version - 1, -1):
        lacked = _LACKED.get((module, older), "").split()
        counts, reals = ([name for name in each if name not in lacked] for each in (counts, reals))
        place, dropped = _DROPPED.get((module, older), (0, ""))
        counts[place:place] = dropped.split()
    return [f"{prefix}_{name}" for name in counts], [f"{prefix}_{name}" for name in reals]


def in_newest(module: str, version: int, stored: dict[str, float]) -> dict[str, float]:
    """A record as Darshan's library gives it: in the newest shape, -1 where the version had nothing."""
    counts, reals = names(module, NEWEST[module][0])
    values = {name: stored.get(name, -1) for name in [*counts, *reals]}
    if module == "POSIX" and version < 4:
        values["POSIX_RENAMED_FROM"] = 0  # an id, and -1 may be one
    if module == "PNETCDF_FILE" and version < 3:
        values["PNETCDF_FILE_OPENS"] += stored["PNETCDF_FILE_INDEP_OPENS"]
    return values
