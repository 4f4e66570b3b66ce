"""A job of four ranks that uses every interface, as a release of Darshan records it."""

from __future__ import annotations

import random
from typing import Any

from made_darshan.autoperf import calls_of_mpi, routers
from made_darshan.pack import Log
from made_darshan.records import AnyRecord, Component, Stripes, id_of, record, time_line, trace
from made_darshan.uses import RUN_S, Use, use

RANKS = 4
OUT, FIELDS, OCEAN = "/scratch/out.dat", "/scratch/fields.h5", "/scratch/ocean.nc"
DATASETS = (f"{FIELDS}:/fields/density", f"{FIELDS}:/fields/pressure")
VARIABLE = f"{OCEAN}:temperature"
INPUT, LOG_FILE, STDOUT = "/home/user/input.nml", "/home/user/run.log", "<STDOUT>"
CHECKPOINTS = tuple(f"/scratch/restart/{rank:04}" for rank in range(RANKS))
_BINS = 40
# Modules that have no place in a job log: their bytes mean nothing here.
OPAQUE = ("BG/Q", "MDHIM", "DFS", "DAOS")


class _Job:
    """Collects records of the modules that the release has."""

    def __init__(self, log: Log, rng: random.Random, *, reduced: bool = True) -> None:
        self.log, self.rng, self.reduced = log, rng, reduced
        self.done: dict[str, list[tuple[str, list[Use]]]] = {}  # by module, for time lines and traces

    def add(self, module: str, name: str, made: AnyRecord) -> None:
        self.log.modules.setdefault(module, []).append(made)
        self.log.names[id_of(name)] = name

    def count(self, module: str, name: str, uses: list[Use], file: str = "", **more: float) -> None:
        if version := self.log.versions.get(module):
            for of_one in [uses] if self.reduced else [[each] for each in uses]:
                self.add(module, name, record(module, version, name, of_one, file, **more))
            self.done.setdefault(module, []).append((name, uses))

    def together(self, **how: int) -> list[Use]:
        """Each rank in its part of a file."""
        return [use(self.rng, rank, first=rank << 26, slower=1 + rank, **how) for rank in range(RANKS)]


def _files(job: _Job) -> None:
    rng = job.rng
    job.count("POSIX", OUT, both := job.together(reads=6, writes=12), SEEKS=RANKS, STATS=1, FSYNCS=RANKS)
    job.count(
        "MPI-IO",
        OUT,
        both,
        INDEP_OPENS=1,
        VIEWS=RANKS,
        SYNCS=RANKS,
        HINTS=2 * RANKS,
        SPLIT_WRITES=2,
        NB_READS=3,
    )
    for rank, path in enumerate(CHECKPOINTS):
        # Darshan counts dup(2) and fileno(3) as opens too.
        job.count(
            "POSIX", path, [use(rng, rank, reads=0, writes=9)], OPENS=3, DUPS=1, FILENOS=1, RENAME_TARGETS=1
        )
    for rank in (1, 3):  # by a part of the ranks: a record each
        job.count("POSIX", INPUT, [use(rng, rank, reads=5, writes=0, sizes=(4096,))], STATS=2, MMAPS=1)
    job.count("MPI-IO", f"{OUT}.index", [use(rng, 0, reads=2, writes=4)])
    job.count("STDIO", STDOUT, [use(rng, 0, reads=0, writes=7, sizes=(80,))], OPENS=0, FLUSHES=3)
    job.count("STDIO", LOG_FILE, job.together(reads=1, writes=4), OPENS=RANKS + 1, FDOPENS=1, SEEKS=2)


def _libraries(job: _Job) -> None:
    job.count("H5F", FIELDS, job.together(reads=0, writes=0), FLUSHES=2, USE_MPIIO=1)
    first, second = job.together(reads=2, writes=6), job.together(reads=0, writes=3)
    shape = {"DATASPACE_NDIMS": 2, "DATASPACE_NPOINTS": 1 << 20, "DATATYPE_SIZE": 8}
    shape |= {"CHUNK_SIZE_D1": 256, "CHUNK_SIZE_D2": 128, "REGULAR_HYPERSLAB_SELECTS": 6}
    job.count("H5D", DATASETS[0], first, FIELDS, **shape, USE_MPIIO_COLLECTIVE=1)
    job.count("H5D", DATASETS[1], second, FIELDS, **shape)
    job.count("MPI-IO", FIELDS, first)
    job.count("POSIX", FIELDS, first)
    made = job.together(reads=3, writes=5)
    job.count("PNETCDF_FILE", OCEAN, made, CREATES=1, COLL_WAITS=4, REDEFS=1, F_WAIT_TIME=0.25)
    shape = {"NDIMS": 3, "NPOINTS": 1 << 16, "DATATYPE_SIZE": 8}
    job.count("PNETCDF_VAR", VARIABLE, made, OCEAN, **shape, PUT_VARA=20, GET_VARA=12)
    job.count("POSIX", OCEAN, made)


def _stripes(job: _Job) -> None:
    version = job.log.versions.get("LUSTRE", 0)
    plain = [Component((1 << 20, 4, 1, 0, 0, -1, 0))]
    grown = [
        Component((1 << 16, 1, 1, 0, 0, 1 << 20, 0), "flash"),
        Component((4 << 20, 3, 1, 0, 1 << 20, -1, 1), "disk"),
    ]
    if version:
        job.add("LUSTRE", OUT, Stripes(id_of(OUT), -1, plain, [7, 11, 2, 19]))
        parts = grown if version > 1 else plain
        job.add("LUSTRE", FIELDS, Stripes(id_of(FIELDS), -1, parts, [3, 8, 13, 21], unused=2))


def _time(job: _Job) -> None:
    for module in ("POSIX", "STDIO", "MPI-IO") if "HEATMAP" in job.log.versions else ():
        name = "heatmap:" + module.replace("-", "")
        for rank in range(RANKS):
            mine = [each for _, uses in job.done[module] for each in uses if each.rank == rank]
            job.add("HEATMAP", name, time_line(name, rank, mine, RUN_S / _BINS, _BINS))
    for module, traced in (("DXT_POSIX", "POSIX"), ("DXT_MPIIO", "MPI-IO")):
        for name, uses in job.done[traced] if module in job.log.versions else ():
            for each in uses:
                job.add(module, name, trace(name, each, f"node{each.rank // 2}", shared=len(uses) > 1))


def job_of(
    release: str, *, others: bool = False, autoperf: bool = False, reduced: bool = True, **how: Any
) -> Log:
    """`how`: fields of Log. `others`: with modules that nobody reads. `autoperf`: with those of AutoPerf.

    Without `reduced` each rank keeps a record of its own of a shared file (DARSHAN_DISABLE_SHARED_REDUCTION).
    """
    log = Log(release, **how)
    job = _Job(log, random.Random(release), reduced=reduced)
    _files(job)
    _libraries(job)
    _stripes(job)
    _time(job)
    if autoperf:
        number = id_of("APMPI")
        log.modules |= {"APXC": list(routers(number)), "APMPI": list(calls_of_mpi(number, RANKS))}
        log.names[number] = "APMPI"
    if others:
        log.opaque = {name: bytes(range(96)) for name in OPAQUE if name in log.versions}
    return log
