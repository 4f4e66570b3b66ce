"""`headrace cluster` and `headrace.cluster`, on made tables and job logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import headrace
import numpy
import pyarrow
import pyarrow.parquet
import pytest
from commands import headrace as run
from made_logs import LogMaker
from made_phases import dumps

from benchmarks.clustering.made import rand_index
from benchmarks.clustering.shapes import KINDS, made


def three_groups(rows: int = 3000, seed: int = 5) -> tuple[Any, Any]:
    random = numpy.random.default_rng(seed)
    truth = random.integers(0, 3, rows)
    centres = numpy.array([[0, 0, 0, 0, 0], [9, 9, 9, 9, 0], [0, 20, 0, 20, 30.0]])
    return centres[truth] + random.normal(size=(rows, 5)), truth


def same_division(a: Any, b: Any) -> bool:
    return len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a.tolist())) == len(set(b.tolist()))


def facts(*arguments: Any, cwd: Path) -> dict[str, Any]:
    found = run("cluster", *arguments, "--json", cwd=cwd)
    assert found.returncode == 0, found.stderr
    result: dict[str, Any] = json.loads(found.stdout)
    return result


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
def test_npy_by_row(tmp_path: Path, kind: str) -> None:
    values, truth = three_groups()
    values[17, 2] += 40
    values[18, 1] = numpy.nan
    numpy.save(tmp_path / "table.npy", values.astype(kind))
    found = facts("table.npy", cwd=tmp_path)
    assert found["k"] == len(found["sizes"]) == len(found["medoids"]) == 3
    assert found["assignment"] == "table.clusters.npy"
    assigned = numpy.load(tmp_path / found["assignment"])
    assert assigned[17] == assigned[18] == -1
    assert found["outliers"] == [17]
    assert found["unusable"] == 1
    assert found["worst_outliers"][0]["row"] == 17
    assert found["worst_outliers"][0]["column"] == "2"
    assert same_division(assigned[assigned >= 0], truth[assigned >= 0])
    assert found["sizes"] == numpy.bincount(assigned[assigned >= 0]).tolist() == sorted(found["sizes"])[::-1]
    for number, cluster in enumerate(found["clusters"]):
        members = values.astype(kind).astype(float)[assigned == number]
        assert cluster["mean"] == pytest.approx(members.mean(axis=0).tolist(), abs=1e-4)
        assert cluster["variance"] == pytest.approx(members.var(axis=0).tolist(), abs=1e-3)
        assert cluster["least"] == members.min(axis=0).tolist()
        assert cluster["most"] == members.max(axis=0).tolist()
        assert assigned[cluster["medoid"]] == number
    assert facts("table.npy", cwd=tmp_path)["clusters"] == found["clusters"]


def test_npy_by_column_and_of_one_dimension(tmp_path: Path) -> None:
    values, _ = three_groups()
    numpy.save(tmp_path / "rows.npy", values)
    numpy.save(tmp_path / "columns.npy", numpy.asfortranarray(values))
    numpy.save(tmp_path / "line.npy", values[:, 1].copy())
    assert facts("columns.npy", cwd=tmp_path)["clusters"] == facts("rows.npy", cwd=tmp_path)["clusters"]
    assert facts("line.npy", cwd=tmp_path)["k"] == 3


def test_parquet(tmp_path: Path) -> None:
    values, truth = three_groups()
    columns: dict[str, Any] = {f"c{at}": values[:, at] for at in range(5)}
    columns["name"] = ["x"] * len(values)
    columns["whole"] = (truth * 1000).astype("int32")
    columns["holes"] = pyarrow.array([None if at == 4 else 1.5 for at in range(len(values))])
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "table.parquet", row_group_size=700)
    found = facts("table.parquet", "-o", "out.parquet", cwd=tmp_path)
    assert found["k"] == 3
    assert found["unusable"] == 1
    assert found["columns_left_out"] == ["name"]
    out = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert out.column_names == ["row", "cluster", "outlier", "score"]
    assert out["cluster"][4].as_py() == -1
    chosen = facts("table.parquet", "--column", "c0", "--column", "c1", cwd=tmp_path)
    assert chosen["columns"] == ["c0", "c1"]


def test_csv(tmp_path: Path) -> None:
    values, truth = three_groups()
    lines = ["c0,c1,c2,c3,c4,name"]
    lines += [",".join([*(f"{value:.17g}" for value in row), "x"]) for row in values]
    lines[5] = lines[5].replace(lines[5].split(",")[2], "")
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    found = facts("table.csv", cwd=tmp_path)
    assert (found["k"], found["unusable"], found["columns_left_out"]) == (3, 1, ["name"])
    assigned = numpy.load(tmp_path / found["assignment"])
    assert same_division(assigned[assigned >= 0], truth[assigned >= 0])
    assert facts("table.csv", "--column", "c0", cwd=tmp_path)["columns"] == ["c0"]
    for text, message in (
        ("1,2\n3,4\n", "line 1 has numbers where names of columns are needed"),
        ("a,a\n3,4\n", "line 1 names a column twice"),
        ("a,b\n3,4,5\n", "cannot be read as CSV"),
        ("a,b\nx,y\n", "has no column of numbers among a, b"),
        ("", "cannot be read as CSV"),
    ):
        (tmp_path / "wrong.csv").write_text(text)
        wrong = run("cluster", "wrong.csv", cwd=tmp_path)
        assert wrong.returncode != 0
        assert message in wrong.stderr and "wrong.csv" in wrong.stderr and "Traceback" not in wrong.stderr


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_columns_that_go_together_and_other_shapes(kind: str) -> None:
    missed = []
    for seed in range(20):
        k = 1 + seed % 5
        values, truth = made(kind, k, seed)
        found = headrace.cluster(values, seed=seed)
        near = numpy.asarray(found.assigned)
        right = found.k == k and rand_index(near, truth) >= 0.98
        missed += [] if right else [(seed, k, found.k, rand_index(near, truth))]
    assert len(missed) <= 1, missed


def test_a_row_that_is_slower_in_all_columns_is_of_its_cluster() -> None:
    random = numpy.random.default_rng(7)
    truth = random.integers(0, 2, 3000)
    values = numpy.exp(random.normal(0, 1.5, (2, 16)))[truth] * numpy.exp(random.normal(0, 0.1, (3000, 1)))
    values *= numpy.exp(random.normal(0, 0.02, values.shape))
    values[11] = values[truth == truth[11]].mean(axis=0) * 1.2
    values[12] = values[11]
    values[12, 3] *= 1.5
    found = headrace.cluster(values)
    assert found.k == 2
    assert 11 not in found.outliers and 12 in found.outliers
    assert found.worst[0].row == 12 and found.worst[0].column == "3"


def test_differences_are_told_by_size_and_by_significance(tmp_path: Path) -> None:
    """Of 600 ms that waits vary by 300 ms, 3 ms of opens by nothing."""
    maker, random = LogMaker(), numpy.random.default_rng(3)
    for rank in range(64):
        maker.process(rank + 1, rank=rank, ranks=64, instance=3)
        row = {"process": rank + 1, "calls": 1, "errors": 0, "bytes": 10, "max_ns": 1}
        for name, usual, more, varies in (
            ("write", 900, 400, 60),
            ("read", 100, 300, 50),
            ("fsync", 50, 200, 40),
            ("open", 3, 2, 0.01),
        ):
            time = int(10**6 * (usual + more * (rank < 24) + varies * random.random()))
            maker.add("profiles", function=name, layer="posix", time_ns=time, own_ns=time, **row)
    text = run("cluster", maker.write(tmp_path / "job.hr")).stdout
    size, sure = text.index("by size: posix:write"), text.index("by significance: posix:open 5 ms, 2 ms more")
    assert size < sure, text
    assert "posix:open" not in text[size:sure]


def test_python_shares_arrays() -> None:
    values, truth = three_groups()
    found = headrace.cluster(values)
    assert found.k == 3
    assert same_division(numpy.asarray(found.assigned), truth)
    assert numpy.asarray(found.score).dtype == numpy.float32
    assert headrace.cluster(values, k=2).k == 2
    assert headrace.cluster(values, distance="euclidean", normalisation="none").k == 3
    for wrong in ([1, 2], values[:, 0], values.T, values.astype(int)):
        with pytest.raises(headrace.UsageError):
            headrace.cluster(wrong)
    with pytest.raises(headrace.UsageError, match="0 clusters"):
        headrace.cluster(values, k=0)
    with pytest.raises(headrace.UsageError, match="chebyshev, euclidean, manhattan"):
        headrace.cluster(values, distance="far")


def job(path: Path, ranks: int = 64) -> Path:
    """Even ranks write, odd ones wait; rank 20 waits as well, for long."""
    maker = LogMaker()
    for rank in range(ranks):
        maker.process(rank + 1, rank=rank, ranks=ranks, instance=3)
        row = {"process": rank + 1, "calls": 1, "errors": 0, "bytes": 10, "max_ns": 1}
        wait = 10**6 * (800 + rank % 7) if rank % 2 else 10**6 * (20 + rank % 5)
        write = 10**6 * (5 + rank % 3) if rank % 2 else 10**6 * (600 + rank % 11)
        wait += 10**9 if rank == 20 else 0
        maker.add("profiles", function="MPI_Barrier", layer="mpi", time_ns=wait, own_ns=wait, **row)
        maker.add("profiles", function="write", layer="posix", time_ns=write, own_ns=write, **row)
        for span in range(10):
            moved = 1000 + rank % 5 if (span < 5) == (rank % 2 == 0) else 0
            at = {"start_at_ns": span * 10**8, "width_ns": 10**8}
            maker.add("series", process=rank + 1, direction="write", bytes=moved, operations=1, **at)
    return maker.write(path)


def test_ranks_of_a_job_log(tmp_path: Path) -> None:
    log = job(tmp_path / "job.hr")
    found = facts(log, cwd=tmp_path)
    assert found["columns"] == ["mpi:MPI_Barrier", "posix:write"]
    assert found["normalisation"] == "none"
    assert found["row_names"][20] == "rank 20"
    assert found["outliers"] == [20]
    assert sorted(found["sizes"]) == [31, 32]
    text = run("cluster", log).stdout
    assert "64 ranks, 2 columns; 2 clusters, 1 outlier" in text
    assert "outlier  rank 20: posix:write 609 ms; in cluster" in text  # it waits, and writes all the same
    series = facts("--by", "series", log, cwd=tmp_path)
    assert series["k"] == 2
    assert len(series["columns"]) == 128


def test_log_without_ranks_or_without_anything(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.add(
        "profiles", process=1, calls=1, errors=0, bytes=1, max_ns=1, function="read", layer="posix", time_ns=5
    )
    log = maker.write(tmp_path / "one.hr")
    found = facts(log, cwd=tmp_path)
    assert (found["k"], found["row_names"]) == (1, ["process 1001"])
    nothing = run("cluster", "--by", "series", log)
    assert nothing.returncode == 2
    assert "`headrace show` says" in nothing.stderr


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (b"", 3, "headrace: "),
        (b"\x93NUMPY\x01\x00\x10\x00garbage garbage ", 3, "damaged"),
        (b"\x93NUMPY\x09\x00", 3, "version 9"),
        (b"PAR1 and then nothing", 3, "Parquet"),
    ],
)
def test_damaged_files_name_the_next_step(tmp_path: Path, content: bytes, status: int, words: str) -> None:
    path = tmp_path / "bad.npy"
    path.write_bytes(content)
    failed = run("cluster", path)
    assert failed.returncode == status
    assert words in failed.stderr
    assert "bad.npy" in failed.stderr


def test_wrong_uses(tmp_path: Path) -> None:
    values, _ = three_groups(100)
    numpy.save(tmp_path / "cube.npy", numpy.zeros((2, 2, 2)))
    numpy.save(tmp_path / "whole.npy", values.astype(int))
    numpy.save(tmp_path / "good.npy", values)
    (tmp_path / "short.npy").write_bytes((tmp_path / "good.npy").read_bytes()[:-8])
    pyarrow.parquet.write_table(pyarrow.table({"name": ["a"]}), tmp_path / "text.parquet")
    for arguments, status, words in (
        (["cube.npy"], 3, "rows and columns"),
        (["whole.npy"], 3, "astype"),
        (["short.npy"], 3, "ends after 3992 of 4000 bytes"),
        (["none.npy"], 3, "no such file"),
        (["text.parquet"], 2, "no column of numbers"),
        (["text.parquet", "--column", "x"], 2, "there are name"),
        (["good.npy", "--column", "x"], 2, "no names"),
        (["good.npy", "-o", "out.csv"], 2, ".parquet"),
        (["good.npy", "-o", "missing/out.npy"], 4, "make its directory first"),
        (["good.npy", "-k", "0"], 2, "0"),
    ):
        failed = run("cluster", *arguments, cwd=tmp_path)
        assert failed.returncode == status, (arguments, failed.stderr)
        assert words in failed.stderr, failed.stderr


def test_tables_of_few_rows(tmp_path: Path) -> None:
    numpy.save(tmp_path / "none.npy", numpy.zeros((0, 3)))
    numpy.save(tmp_path / "one.npy", numpy.ones((1, 3)))
    empty = facts("none.npy", cwd=tmp_path)
    assert (empty["k"], empty["sizes"], empty["outliers"]) == (0, [], [])
    assert facts("one.npy", cwd=tmp_path)["sizes"] == [1]
    assert run("cluster", "none.npy", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("by", ["calls", "messages", "sizes", "bandwidth"])
def test_what_ranks_did_in_a_phase_from_every_side(tmp_path: Path, by: str) -> None:
    log = dumps(tmp_path / "job.hr", ranks=64)
    found = facts("--by", by, "--phase", "dump", "--instance", "3", log, cwd=tmp_path)
    assert (found["phase"], found["instance"], found["sizes"][0]) == ("dump", 3, 60)
    prefix = {"calls": "posix:", "messages": "mpi:", "sizes": "write:", "bandwidth": ("read:", "write:")}[by]
    assert all(column.startswith(prefix) for column in found["columns"])
    wrong = run("cluster", "--by", by, log)  # of the whole job it has nothing
    assert wrong.returncode == 2
    assert f"no rank has any {by}" in wrong.stderr


def test_sizes_and_calls_of_the_whole_job(tmp_path: Path) -> None:
    log = LogMaker()
    for rank in range(40):
        process = log.process(rank + 1, rank=rank, ranks=40, instance=9)
        size = 4096 if rank % 4 else 1 << 20
        row = {"process": process, "phase": 0, "instance": 0, "layer": "posix", "direction": "write"}
        log.add("phase_sizes", **row, least=size, most=size + size // 8 - 1, count=100 + rank % 3)
        function = {"layer": "posix", "calls": 1, "errors": 0, "bytes": 0, "max_ns": 0}
        for name, layer in (("write", "posix"), ("MPI_Barrier", "mpi")):
            took = 10**9 * (2 if rank % 4 else 1)
            log.add(
                "profiles",
                **{**function, "layer": layer},
                process=process,
                function=name,
                time_ns=took,
                own_ns=took,
            )
    path = log.write(tmp_path / "job.hr")
    found = facts("--by", "sizes", path, cwd=tmp_path)
    assert found["sizes"] == [30, 10]
    assert found["columns"] == ["write:4096-4607", "write:1048576-1179647"]
    assert facts("--by", "calls", path, cwd=tmp_path)["columns"] == ["posix:write"]
    assert facts("--by", "messages", path, cwd=tmp_path)["columns"] == ["mpi:MPI_Barrier"]
    no_instance = run("cluster", "--by", "bandwidth", "--phase", "dump", dumps(tmp_path / "b.hr", ranks=8))
    assert "--instance" in no_instance.stderr


def test_an_array_of_one_dimension_is_told_its_shape() -> None:
    line = numpy.random.default_rng(1).random(50)
    with pytest.raises(headrace.UsageError, match=r"give array\.reshape\(-1, 1\)"):
        headrace.cluster(line)
    assert headrace.cluster(line.reshape(-1, 1)).k == 1


def test_more_clusters_than_rows_are_refused(tmp_path: Path) -> None:
    table = numpy.random.default_rng(1).random((50, 2))
    with pytest.raises(headrace.UsageError, match="100 clusters of 50 rows are not possible: ask for 50"):
        headrace.cluster(table, 100)
    assert headrace.cluster(table, 50).k == 50
    numpy.save(tmp_path / "t.npy", table)
    done = run("cluster", "t.npy", "-k", "51", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and "ask for 50 at most" in done.stderr


def test_a_few_ranks_that_differ_are_shown_as_they_are(tmp_path: Path) -> None:
    numpy.save(tmp_path / "t.npy", numpy.array([[1.0, 0, 0, 5], [1, 0, 0, 50], [1, 0, 9, 5]]))
    text = run("cluster", "t.npy", cwd=tmp_path).stdout
    assert "3 rows, 4 columns; 3 rows are too few to group." in text
    assert "cluster 0" not in text and "outlier" not in text
    assert [line.strip() for line in text.splitlines()[-3:]] == [
        "row 0: 3 5, 2 0, 0 1",
        "row 1: 3 50, 2 0, 0 1",
        "row 2: 3 5, 2 9, 0 1",
    ]
    numpy.save(tmp_path / "t.npy", numpy.ones((3, 4)))
    assert "1 cluster, 0 outliers" in run("cluster", "t.npy", cwd=tmp_path).stdout
