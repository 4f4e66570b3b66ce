"""Clusters of the rows of a table: of ranks, files, jobs or anything. See docs/clustering.md."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

from headrace import _native
from headrace._errors import UsageError
from headrace.analysis.point_tables import PointTable

__all__ = ["Cluster", "Clustering", "Outlier", "cluster"]


@dataclass(frozen=True)
class Cluster:
    """Statistics are of the members that are no outliers, a figure a column; None where there are none."""

    size: int  # regular members
    with_outliers: int  # rows that it is the nearest cluster of
    medoid: int  # the number of the row nearest to the centre
    medoid_values: list[float]
    mean: list[float | None]
    variance: list[float | None]
    least: list[float | None]
    most: list[float | None]


@dataclass(frozen=True)
class Outlier:
    row: int
    cluster: int  # the nearest
    column: str  # in which it deviates most
    score: float


@dataclass(frozen=True)
class Clustering:
    """`assigned` and `score` are memoryviews of int32 and float32, one a row: numpy.asarray() shares them."""

    table: PointTable = field(repr=False)
    clusters: list[Cluster]  # the largest first
    assigned: memoryview[int] = field(repr=False)  # the nearest cluster; -1: the row is not usable
    score: memoryview[float] = field(repr=False)  # how far outside of its cluster a row lies
    unusable: int  # rows with a value that is no number, or infinite
    worst: list[Outlier]  # outliers of the highest scores, 16 at most
    seed: int
    normalisation: str
    distance: str
    seconds: float  # that clustering took, without reading

    @property
    def k(self) -> int:
        return len(self.clusters)

    @property
    def sizes(self) -> list[int]:
        return [each.size for each in self.clusters]

    @property
    def medoids(self) -> list[int]:
        """Numbers of rows, from 0."""
        return [each.medoid for each in self.clusters]

    @property
    def outliers(self) -> list[int]:
        """Numbers of the rows that lie outside of all clusters, from 0."""
        limit = _native.outlier_score
        return [row for row, score in enumerate(self.score) if score > limit]


def cluster(
    table: PointTable,
    k: int | None = None,
    *,
    seed: int = 1,
    normalisation: str = "spread",
    distance: str = "manhattan",
) -> Clustering:
    """As `headrace.cluster`."""
    if k is not None and k < 1:
        raise UsageError(
            f"{k} clusters are not possible: ask for 1 or more, or for none to have them counted"
        )
    if k is not None and k > table.rows > 0:
        rows = f"{table.rows} row{'' if table.rows == 1 else 's'}"
        raise UsageError(f"{k} clusters of {rows} are not possible: ask for {table.rows} at most")
    if not 0 <= seed < 1 << 64:
        raise UsageError(f"a seed is a number from 0 to 2^64 - 1, not {seed}")
    began = time.perf_counter()
    found = _native.cluster(
        table.memory, len(table.columns), table.doubles, k or 0, seed, normalisation, distance
    )
    seconds = time.perf_counter() - began
    return Clustering(
        table=table,
        clusters=[_cluster(each) for each in found["clusters"]],
        assigned=memoryview(found["assigned"]).cast("i"),
        score=memoryview(found["score"]).cast("f"),
        unusable=found["unusable"],
        worst=[Outlier(row, near, table.columns[dim], score) for row, near, dim, score in found["worst"]],
        seed=seed,
        normalisation=normalisation,
        distance=distance,
        seconds=seconds,
    )


def _cluster(native: dict[str, Any]) -> Cluster:
    def figures(name: str) -> list[float | None]:
        return [value if math.isfinite(value) else None for value in native[name]]

    return Cluster(
        native["size"],
        native["with_outliers"],
        native["representative"],
        native["representative_values"],
        *(figures(name) for name in ("mean", "variance", "least", "most")),
    )
