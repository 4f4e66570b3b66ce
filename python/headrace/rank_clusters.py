"""Groups of ranks, while the program runs: which kind of behaviour this rank shows in a phase.

    mine = headrace.cluster_phase("dump")  # every rank of MPI_COMM_WORLD calls it
    if not mine:
        print(mine.error)
    elif mine.outlier:
        print("this rank is slow or odd")

Ranks are compared by the seconds that each spent in each function in the latest finished instance of the
phase, as `headrace cluster JOB.hr --phase dump --instance N` does after the run. Where the program is not
traced, nothing happens. What holds for include/headrace/clusters.h holds here; see docs/clustering.md.

This file needs nothing of the package: a simulation may bring a copy of it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import takes longer than this file's
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["RankCluster", "cluster_phase"]

_NOT_TRACED = 1
_ERRORS = {
    _NOT_TRACED: "this process is not traced by Headrace",
    2: "MPI is not initialised, or finalised",
    3: "Headrace does not know this MPI library",
    4: "not all ranks are traced by Headrace",
    5: "ranks asked for clusters of different phases",
    6: "no rank has finished such a phase",
    7: "no rank called a traced function: there is nothing to cluster by",
    8: "another rank did not come in time",
    9: "no memory, or a part of Headrace is missing",
}
_NUMBERS = (
    "cluster",
    "clusters",
    "size",
    "representative",
    "outlier",
    "missing",
    "ranks_missing",
    "outliers",
)

_tracer: Callable[[bytes | None, Any], int] | None
_answer: Any


class RankCluster:
    """What a rank learns. False where no clusters were found: `error` says why, and the rest is 0."""

    __slots__ = (
        *("error", "cluster", "clusters", "size", "representative", "outlier", "missing"),
        *("ranks_missing", "outliers", "instance", "distance"),
    )
    error: str | None
    cluster: int  # the one nearest to this rank; that of the most members is 0
    clusters: int  # how many there are
    size: int  # ranks in this one that are no outliers
    representative: int  # the rank that stands for it
    outlier: bool  # this rank lies outside of all clusters
    missing: bool  # this rank has no finished instance of the phase, and took part as idle
    ranks_missing: int  # how many ranks that is so of
    outliers: int  # how many ranks are outliers
    instance: int  # of the phase, of this rank: 1, 2, …; 0: the whole run, or missing
    distance: float  # seconds by which this rank differs from the representative, over all functions

    def __init__(self, result: int, answer: Any = None) -> None:
        self.error = None if result == 0 else _ERRORS.get(result, f"error {result}")
        found = answer if result == 0 else None
        for name in (*_NUMBERS, "instance", "distance"):
            setattr(self, name, getattr(found, name, 0))
        self.outlier, self.missing = bool(self.outlier), bool(self.missing)

    def __bool__(self) -> bool:
        return self.error is None

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<no clusters: {self.error}>"
        outlier = ", an outlier" if self.outlier else ""
        return f"<cluster {self.cluster} of {self.clusters}, {self.size} ranks{outlier}>"


def cluster_phase(phase: str | None = None) -> RankCluster:
    """Clusters the ranks by what each did in its latest finished instance of `phase`.

    `phase`: its name and those of the phases around it, such as "step/dump"; None: in the whole run so far.
    Collective over MPI_COMM_WORLD, between MPI_Init and MPI_Finalize; other threads go on meanwhile.
    """
    if "_tracer" not in globals():
        _look_for()
    if _tracer is None:
        return RankCluster(_NOT_TRACED)
    answer = _answer()
    name = None if phase is None else str(phase).encode("utf-8", "replace")
    return RankCluster(_tracer(name, answer), answer)


def _look_for() -> None:
    """Finds the tracer among what is loaded into the process, once."""
    global _answer, _tracer
    try:
        import ctypes

        fields: list[tuple[str, Any]] = [(name, ctypes.c_int) for name in _NUMBERS]
        fields += [("instance", ctypes.c_ulong), ("distance", ctypes.c_double)]
        _answer = type("Answer", (ctypes.Structure,), {"_fields_": fields})
        found = ctypes.CDLL(None).headrace_cluster_phase
        found.argtypes, found.restype = [ctypes.c_char_p, ctypes.POINTER(_answer)], ctypes.c_int
        _tracer = found
    except (ImportError, OSError, AttributeError):
        _tracer = None
