"""`headrace run --cluster`: ranks find their clusters when the program ends, and the log has them."""

from __future__ import annotations

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from phase_logs import COMMAND, Phased, run_phased
from phase_tools import HERE, compile_program
from test_clusters_of_ranks import answers, launched, off_line

PHASES = {"dump", "outer", "outer/some", "members"}


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def program(mpi: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(
        f"mpicc.{mpi}", ["-O1", HERE / "c" / "kinds.c"], tmp_path_factory.mktemp("end") / "kinds"
    )


def run(mpi: str, program: Path, ranks: int, place: Path, *options: str, **variables: str) -> Phased:
    command = ["sh", "-c", f'exec "$@" > {place / "out"}', "sh", *launched(mpi, program, ranks)]
    done = run_phased(command, place / "job.hr", options, timeout=200, env={**os.environ, **variables})
    assert done.status == 0
    return done


def members(done: Phased, phase: str) -> list[dict[str, Any]]:
    """Rows of the table `clusters`, by rank."""
    ranks = {row["process"]: row["rank"] for row in done.rows("processes")}
    return sorted(done.rows("clusters", phase=phase), key=lambda row: ranks[row["process"]])


def same(done: Phased, phase: str, expected: dict[str, Any]) -> None:
    """The log's own clusters of a phase against those found in its figures."""
    rows = members(done, phase)
    assert [bool(row["outlier"]) for row in rows] == [
        rank in expected["outliers"] for rank in range(len(rows))
    ]
    for rank, row in enumerate(rows):
        assert bool(row["missing"]) == (rank in (expected["missing"] or []))
        assert row["outlier"] or row["cluster"] == expected["assigned"][rank]
        assert row["representative"] == expected["medoids"][row["cluster"]]
        assert row["kept"] == 1
    stats = done.rows("cluster_stats", phase=phase)
    assert {row["cluster"] for row in stats} == set(range(expected["k"]))
    for row in stats:
        (of,) = [each for number, each in enumerate(expected["clusters"]) if number == row["cluster"]]
        column = expected["columns"].index(f"{row['layer']}:{row['function']}")
        assert row["ranks"] == of["size"]
        assert row["outliers"] == of["with_outliers"] - of["size"]
        assert row["representative"] == of["medoid"]
        for name in ("mean", "least", "most"):
            value = of[name][column]
            told = row[f"{name}_s"]
            assert (
                math.isnan(told) if value is None else math.isclose(told, value, rel_tol=1e-4, abs_tol=1e-6)
            )


def as_on_line(done: Phased) -> None:
    """Of the whole run, ranks were told the same when they asked last. The log has more: what came later."""
    told = answers((done.path.parent / "out").read_text())["end"]
    rows = members(done, "")
    assert [row["cluster"] for row in rows] == [each.cluster for each in told]
    assert [row["outlier"] for row in rows] == [each.outlier for each in told]
    sizes = {row["cluster"]: row["ranks"] for row in done.rows("cluster_stats", phase="")}
    assert all(sizes[each.cluster] == each.size for each in told)


@pytest.mark.parametrize(("ranks", "reduce"), [(1, "auto"), (4, "always"), (16, "auto"), (17, "never")])
def test_the_log_has_what_it_says_itself(
    mpi: str, program: Path, tmp_path: Path, ranks: int, reduce: str
) -> None:
    done = run(mpi, program, ranks, tmp_path, "--cluster", HEADRACE_REDUCE=reduce)
    phases = PHASES if ranks > 1 else PHASES - {"members"}
    assert {row["phase"] for row in done.rows("clusters")} == {"", *phases}
    for phase in phases:
        same(done, phase, off_line(done.path, "--phase", phase))
    assert len(members(done, "")) == ranks
    as_on_line(done)
    assert not {"clusters of ranks", "clusters of phases", "reduction over ranks"} & done.gaps().keys()
    instances = {row["instance"] for row in done.rows("processes") if row["rank"] >= 0}
    assert {row["instance"] for row in done.rows("cluster_stats")} == instances


def test_nothing_is_clustered_unasked(mpi: str, program: Path, tmp_path: Path) -> None:
    done = run(mpi, program, 2, tmp_path)
    assert done.rows("clusters") == done.rows("cluster_stats") == []
    assert "clusters of ranks" not in done.gaps()


def test_what_prevents_it_is_said(mpi: str, tmp_path: Path) -> None:
    source = tmp_path / "short.c"
    source.write_text(
        "#include <mpi.h>\n#include <unistd.h>\n"
        "int main(int argc, char** argv) { MPI_Init(&argc, &argv); MPI_Barrier(MPI_COMM_WORLD); _exit(0); }\n"
    )
    short = compile_program(f"mpicc.{mpi}", [source], tmp_path / "short")
    command = ["sh", "-c", '"$@" > /dev/null 2>&1; true', "sh", *launched(mpi, short, 2)]
    done = run_phased(command, tmp_path / "job.hr", ("--cluster",))
    reasons = {row["reason"] for row in done.rows("gaps", what="clusters of ranks")}
    assert reasons == {"the program ended without MPI_Finalize"}
    assert done.rows("clusters") == []


def test_readers_tell_of_it(mpi: str, program: Path, tmp_path: Path) -> None:
    done = run(mpi, program, 16, tmp_path, "--cluster")
    for command in ("show", "phases"):
        told = subprocess.run(
            [COMMAND, command, done.path, "--json"], capture_output=True, text=True, check=True
        )
        clusters = {each["phase"]: each for each in json.loads(told.stdout)["clusters"]}
        assert set(clusters) == {None, *PHASES}
        dump = clusters["dump"]
        assert dump["ranks"] == 16 and dump["stood_for"] == 0
        assert sorted([rank for of in dump["clusters"] for rank in of["members"]] + dump["outliers"]) == [
            *range(16)
        ]
        assert all(of["size"] == len(of["members"]) for of in dump["clusters"])
        assert {of["functions"][0]["function"] for of in dump["clusters"]} == {"read", "readv"}
        assert clusters["members"]["missing"] == [0]
        text = subprocess.run(
            [COMMAND, command, done.path], capture_output=True, text=True, check=True
        ).stdout
        assert (
            f"dump: {dump['clusters'][0]['size']} like rank {dump['clusters'][0]['representative']}" in text
        )
