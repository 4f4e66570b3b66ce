"""Headrace: see, explain and fix the I/O of parallel programs.

    import headrace

    with headrace.open("run.hr") as log:
        print(log)
        print(log.files_by_path().select(["path", "bytes_written", "write_ns"]))

    headrace.report("run.hr", "run.html")
    trace = headrace.open_trace("run.trace.hr")

Importing this package loads no analysis package: pyarrow and pandas are loaded when a table is asked for, and
what makes reports and figures when one is asked for.
"""

from __future__ import annotations

from headrace.phases import phase
from headrace.regions import counter, region, trace_pause, trace_resume

TYPE_CHECKING = False  # as in typing, which simulations that only name their phases need not load
if TYPE_CHECKING:
    import os
    from typing import Any

    from headrace import figures
    from headrace._errors import (
        HeadraceError,
        LogCorruptError,
        LogError,
        LogForeignError,
        LogNotFoundError,
        LogTooLargeError,
        LogTruncatedError,
        LogUnreadableError,
        LogUnsupportedError,
        MissingPackageError,
        MissingPackageWarning,
        OutputError,
        UsageError,
    )
    from headrace._native import version as __version__
    from headrace.analysis.clusters import Clustering
    from headrace.analysis.overviews import Overview
    from headrace.analysis.traces import Trace
    from headrace.logs import Counter, Damage, Flag, JobLog, counters, flags, open, units
    from headrace.rank_clusters import RankCluster, cluster_phase
    from headrace.reports.notebook import Report

__all__ = [
    "Clustering",
    "Counter",
    "Damage",
    "Flag",
    "HeadraceError",
    "JobLog",
    "LogCorruptError",
    "LogError",
    "LogForeignError",
    "LogNotFoundError",
    "LogTooLargeError",
    "LogTruncatedError",
    "LogUnreadableError",
    "LogUnsupportedError",
    "MissingPackageError",
    "MissingPackageWarning",
    "OutputError",
    "Overview",
    "RankCluster",
    "Report",
    "Trace",
    "UsageError",
    "__version__",
    "cluster",
    "cluster_phase",
    "counter",
    "counters",
    "figures",
    "flags",
    "open",
    "open_trace",
    "phase",
    "region",
    "report",
    "trace_pause",
    "trace_resume",
    "units",
]


def report(
    log: JobLog | str | os.PathLike[str], output: str | os.PathLike[str] | None = None, *, force: bool = False
) -> Report:
    """The report of a job log, given open or by its path; with `output` also saved as that file.

    As the last line of a notebook's cell it shows itself. `force` replaces a file that is no report. Raises a
    LogError, OutputError, and MissingPackageError when the page of reports was not built.
    """
    from headrace.logs import JobLog, open
    from headrace.reports.notebook import Report

    if isinstance(log, JobLog):
        made = Report(log)
    else:
        with open(log) as opened:
            made = Report(opened)
    if output is not None:
        made.save(output, force)
    return made


def open_trace(path: str | os.PathLike[str], job: int | None = None) -> Trace:
    """An event trace, NAME.trace.hr; `job` chooses one, from 1, of several in it. Raises a LogError."""
    from headrace.analysis.traces import Trace

    return Trace(path, job)


def cluster(
    data: Any,
    k: int | None = None,
    *,
    seed: int = 1,
    normalisation: str = "spread",
    distance: str = "manhattan",
) -> Clustering:
    """Clusters of the rows of a table, and the rows that lie outside of all.

    `data`: a two-dimensional array of floats or doubles that shows its memory (of numpy, for example), not
    copied; or the path of a .npy or Parquet file. `k`: how many clusters; by default as many as there are.
    `normalisation`: "spread", "range" or "none"; `distance`: "manhattan", "euclidean" or "chebyshev". See
    docs/clustering.md. Raises UsageError, and a LogError when a file cannot be read.
    """
    import os

    from headrace.analysis import clusters, point_tables

    table = point_tables.read(data) if isinstance(data, (str, os.PathLike)) else point_tables.of_array(data)
    return clusters.cluster(table, k, seed=seed, normalisation=normalisation, distance=distance)


# Where the rest comes from, when it is first asked for.
_PLACES = {
    "headrace._native": ("version",),
    "headrace.logs": ("Counter", "Damage", "Flag", "JobLog", "counters", "flags", "open", "units"),
    "headrace.rank_clusters": ("RankCluster", "cluster_phase"),
    "headrace.reports.notebook": ("Report",),
    "headrace.analysis.clusters": ("Clustering",),
    "headrace.analysis.overviews": ("Overview",),
    "headrace.analysis.traces": ("Trace",),
}


def __getattr__(name: str) -> Any:
    """What is loaded when it is first asked for."""
    from importlib import import_module

    if name == "figures":
        return import_module("headrace.figures")
    wanted = "version" if name == "__version__" else name
    places = (place for place, names in _PLACES.items() if wanted in names)
    place = next(places, "headrace._errors" if name in __all__ else None)
    if place is None:
        raise AttributeError(f"module 'headrace' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(place), wanted)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
