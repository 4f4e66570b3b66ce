"""<headrace/clusters.h>: ranks learn their cluster while they run, and it is that of the log."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headrace
import numpy
import pytest
from parallel_tools import skip_unless_it_launches_two_programs
from phase_logs import COMMAND, Phased, run_phased
from phase_tools import HERE, compile_program

SOURCE = HERE / "c" / "kinds.c"
FOUND, NOT_TRACED, NO_MPI, SOME_UNTRACED, DIFFERENT, NO_PHASE, NOTHING_DONE = 0, 1, 2, 4, 5, 6, 7
NO_ANSWER, FAILED = 8, 9


@dataclass
class Answer:
    rank: int
    result: int
    cluster: int
    clusters: int
    size: int
    representative: int
    outlier: int
    missing: int
    ranks_missing: int
    outliers: int
    instance: int
    distance: float


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def program(mpi: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(f"mpicc.{mpi}", ["-O1", SOURCE], tmp_path_factory.mktemp("kinds") / "kinds")


NAMES = "early|never|dump|run|different|some|members|idle|end|late"


def answers(text: str) -> dict[str, list[Answer]]:
    """Launchers forward what ranks print piece by piece: a line of one may stand within a line of another."""
    found: dict[str, list[Answer]] = {}
    for name, whole, distance in re.findall(
        rf"({NAMES})((?: -?\d+){{11}}) +(\d[\d.]*(?:[eE][-+]\d+)?)", text
    ):
        found.setdefault(name, []).append(Answer(*map(int, whole.split()), float(distance)))
    for each in found.values():
        each.sort(key=lambda answer: answer.rank)
    return found


def launched(mpi: str, program: Path, ranks: int) -> list[str | Path]:
    return ["timeout", "150", f"mpirun.{mpi}", "-np", str(ranks), program]


def run(
    mpi: str, program: Path, ranks: int, place: Path, **variables: str
) -> tuple[dict[str, list[Answer]], Phased]:
    out = place / "out"
    command = ["sh", "-c", 'exec "$@" > ' + str(out), "sh", *launched(mpi, program, ranks)]
    done = run_phased(command, place / "job.hr", timeout=200, env={**os.environ, **variables})
    assert done.status == 0
    return answers(out.read_text()), done


def off_line(log: Path, *options: str) -> dict[str, Any]:
    words = [COMMAND, "cluster", str(log), *options, "--json", "-o", "out.npy"]
    done = subprocess.run(words, cwd=log.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    found["assigned"] = numpy.load(log.parent / "out.npy").tolist()
    return found


def same(on_line: list[Answer], log: dict[str, Any]) -> None:
    assert [each.result for each in on_line] == [FOUND] * log["rows"]
    for rank, each in enumerate(on_line):
        assert each.rank == rank
        assert each.clusters == log["k"]
        assert each.outliers == len(log["outliers"])
        assert each.outlier == (rank in log["outliers"])
        assert each.missing == (rank in log["missing"])
        assert each.ranks_missing == len(log["missing"])
        assert each.outlier or log["assigned"][rank] == each.cluster
        assert each.size == log["sizes"][each.cluster]
        assert each.representative == log["medoids"][each.cluster]
        assert math.isfinite(each.distance)
        assert (each.distance == 0) or each.representative != rank


@pytest.mark.parametrize("ranks", [1, 4, 16])
def test_ranks_learn_what_the_log_says(mpi: str, program: Path, tmp_path: Path, ranks: int) -> None:
    found, done = run(mpi, program, ranks, tmp_path)
    assert {name: {each.result for each in of} for name, of in found.items() if of[0].result} == {
        "early": {NO_MPI},
        "never": {NO_PHASE},
        "idle": {NOTHING_DONE},
        "late": {NO_MPI},
        **({"different": {DIFFERENT}} if ranks > 1 else {"members": {NO_PHASE}}),
    }
    same(found["dump"], off_line(done.path, "--phase", "dump", "--instance", "3"))
    assert {each.instance for each in found["dump"]} == {3}
    same(found["some"], off_line(done.path, "--phase", "outer/some", "--instance", "1"))
    assert {each.result for each in found["run"]} == {FOUND}
    if ranks == 1:
        return
    same(found["members"], off_line(done.path, "--phase", "members", "--instance", "1"))
    assert [each.missing for each in found["members"]] == [1] + [0] * (ranks - 1)
    assert [each.instance for each in found["members"]] == [0] + [1] * (ranks - 1)
    slow = found["dump"][-1]
    assert slow.distance > 0.2 or slow.size == 1
    if ranks == 16:
        leaders = {each.cluster for each in found["dump"][::4]}
        members = {each.cluster for each in found["dump"] if each.rank % 4}
        assert not leaders & members


def test_ranks_that_reduce_at_the_end_have_the_same(mpi: str, program: Path, tmp_path: Path) -> None:
    found, done = run(mpi, program, 4, tmp_path, HEADRACE_REDUCE="always")
    same(found["dump"], off_line(done.path, "--phase", "dump", "--instance", "3"))
    assert "reduction failed" not in done.gaps()


def test_without_a_tracer_nothing_is_found(mpi: str, program: Path) -> None:
    done = subprocess.run(launched(mpi, program, 2), capture_output=True, text=True, check=True)
    found = answers(done.stdout)
    assert {name: len(of) for name, of in found.items()} == dict.fromkeys(found, 2)
    assert {each.result for of in found.values() for each in of} == {NOT_TRACED}


@pytest.mark.parametrize(
    "compiler", ["gcc -std=c99 -pedantic-errors -Wconversion", "g++ -std=c++98 -pedantic-errors -x c++"]
)
def test_the_header_alone_is_enough(tmp_path: Path, compiler: str) -> None:
    source = tmp_path / "alone.c"
    source.write_text(
        "#include <headrace/clusters.h>\n"
        "int main(void) { struct headrace_cluster mine;\n"
        '  return headrace_cluster_phase("dump", &mine) == 1 && headrace_cluster_error(1) ? 0 : 1; }\n'
    )
    subprocess.run([compile_program(compiler, [source], tmp_path / "alone")], check=True)


def test_a_phase_that_is_not_there_is_said(mpi: str, program: Path, tmp_path: Path) -> None:
    _, done = run(mpi, program, 1, tmp_path)
    for options, text in (
        (["--phase", "nowhere"], "it has"),
        (["--phase", "dump", "--instance", "99"], "instance 99"),
        (["--instance", "3"], "--phase"),
        (["--phase", "dump", "--by", "series"], "--by series"),
    ):
        failed = subprocess.run(
            [COMMAND, "cluster", done.path, *options], capture_output=True, text=True, check=False
        )
        assert failed.returncode != 0
        assert text in failed.stderr


def alone(mpi: str, place: Path, *options: str, **variables: str) -> list[list[int]]:
    """Runs c/alone.c with three ranks. Its lines: rank, two answers, copies of an attribute, all is right."""
    program = compile_program(f"mpicc.{mpi}", ["-O1", HERE / "c" / "alone.c"], place / "alone")
    command = ["sh", "-c", f'exec "$@" > {place / "out"}', "sh", *launched(mpi, program, 3), *options]
    done = run_phased(command, place / "job.hr", timeout=200, env={**os.environ, **variables})
    assert done.status == 0
    lines = (place / "out").read_text().splitlines()  # UCX tells of the messages that never came
    return sorted([int(word) for word in line.split()] for line in lines if line[:1].isdigit())


def test_one_communicator_serves_all(mpi: str, tmp_path: Path) -> None:
    found = alone(mpi, tmp_path, HEADRACE_REDUCE="always")
    assert found == [[rank, FOUND, FOUND, 1, 1] for rank in range(3)]
    with headrace.open(tmp_path / "job.hr") as log:
        processes = log.table("processes").to_pylist()
    assert [row for row in processes if row["rank"] < 0 and row["ranks"] == 3], "nothing was reduced"


def test_a_rank_that_cannot_answer_leaves_no_collective_call_open(mpi: str, tmp_path: Path) -> None:
    found = alone(mpi, tmp_path, "files", HEADRACE_REDUCE_PATIENCE="2")
    assert [line[0] for line in found] == [0, 1, 2]
    assert found[-1][1] == FAILED
    assert {answer for line in found for answer in line[1:3]} <= {NO_ANSWER, FAILED}
    assert {tuple(line[3:]) for line in found} == {(2, 1)}


def test_a_rank_that_never_reduces_is_told_the_same(mpi: str, tmp_path: Path) -> None:
    skip_unless_it_launches_two_programs(mpi)
    program = compile_program(f"mpicc.{mpi}", ["-O1", HERE / "c" / "alone.c"], tmp_path / "alone")
    run_it = [COMMAND, "run", "-o", str(tmp_path / "job.hr"), "--", str(program)]
    one = ["-np", "1", "env", "HEADRACE_REDUCE=never", *run_it]
    done = subprocess.run(
        ["timeout", "100", f"mpirun.{mpi}", "-np", "2", *run_it, ":", *one],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    answers = {tuple(map(int, line.split()[1:4])) for line in done.stdout.splitlines() if line[0].isdigit()}
    assert answers == {(SOME_UNTRACED, SOME_UNTRACED, 0)}
