"""Figures of parallel jobs: exact ones of a small job, and rank statistics against their plainest form."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import headrace
import pytest
from commands import headrace as run
from headrace.analysis.changes import signed
from headrace.analysis.parallel import file_ranks
from headrace.analysis.ranks import extremes, spread
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_logs import MIB, LogMaker, parallel, simulation

BIG = st.one_of(st.integers(0, 1000), st.integers(0, 1 << 40))
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "process": st.integers(1, 7),
            "path": st.sampled_from(["/a", "/b", "/c"]),
            "layer": st.sampled_from(["posix", "stdio", "mpiio"]),
            "bytes_read": BIG,
            "bytes_written": BIG,
            "read_ns": BIG,
            "meta_ns": BIG,
        }
    ),
    max_size=20,
    unique_by=lambda row: (row["process"], row["path"], row["layer"]),
)
# process: (instance, rank, ranks); 6 is a second image of rank 0 of the first program, 7 has no rank.
WHO = {1: (5, 0, 3), 2: (5, 1, 3), 3: (5, 2, 3), 4: (6, 0, 2), 5: (6, 1, 2), 6: (5, 0, 3), 7: (0, -1, 0)}


def job(path: Path, records: list[dict[str, Any]]) -> Path:
    maker = LogMaker()
    for number, (instance, rank, ranks) in WHO.items():
        maker.process(number, instance=instance, rank=rank, ranks=ranks, host=f"node{number}")
    for record in records:
        row = dict(record)
        maker.file(row.pop("process"), row.pop("path"), **row)
    return maker.write(path)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=RECORDS)
def test_rank_statistics_against_the_plainest_form(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    with headrace.open(job(tmp_path / "a.hr", records)) as log:
        merged = log.native.merge("path", [], ["file"], ["posix", "stdio"])
        rows = [row["path"] for row in merged.rows(None, ["path"])]
        found = dict(zip(rows, file_ranks(log, merged, list(range(len(rows)))), strict=True))
    for path, facts in found.items():
        sums: dict[tuple[int, int], list[int]] = {}
        for record in records:
            instance, rank, _ = WHO[record["process"]]
            if record["path"] != path or record["layer"] == "mpiio" or rank < 0:
                continue
            total = sums.setdefault((instance, rank), [0, 0])
            total[0] += record["bytes_read"] + record["bytes_written"]
            total[1] += record["read_ns"] + record["meta_ns"]
        if not sums:
            assert facts is None
            continue
        assert facts is not None
        assert facts["ranks"] == len(sums)
        used = {instance: [rank for i, rank in sums if i == instance] for instance, _ in sums}
        sizes = {5: 3, 6: 2}
        assert facts["world"] == sum(sizes[instance] for instance in used)
        whole = any(len(ranks) == sizes[instance] for instance, ranks in used.items())
        expected = "unique" if len(sums) == 1 else "shared" if whole else "partially shared"
        assert facts["strategy"] == expected
        for place, key in enumerate(("bytes", "time_ns")):
            values = [each[place] for each in sums.values()]
            assert (facts[key]["least"], facts[key]["most"]) == (min(values), max(values))
            assert facts[key]["mean"] == pytest.approx(statistics.fmean(values))
            assert facts[key]["variance"] == pytest.approx(statistics.pvariance(values), rel=1e-6, abs=1e-6)
        times = {rank: each[1] for rank, each in sums.items()}
        slow = [rank for (_, rank), time in times.items() if time == max(times.values())]
        assert facts["slowest"]["rank"] in slow
        assert facts["fastest"]["rank"] in [
            rank for (_, rank), t in times.items() if t == min(times.values())
        ]


def test_figures_of_a_small_job(tmp_path: Path) -> None:
    log = parallel(tmp_path / "a.hr")  # 8 ranks on 2 nodes; rank 5 is slow in its own file
    facts = json.loads(run("show", log, "--json").stdout)
    found = facts["parallel"]
    assert (found["ranks"], found["nodes"]) == (8, 2)
    [program] = found["instances"]
    assert (program["ranks"], program["ranks_in_log"], program["no_files"]) == (8, 8, False)
    # Of the dump HDF5's figures: 42 ms of writes, 5 ms of metadata. Rank 5 took these, and 50.5 ms elsewhere.
    moved = 8 * (8 * MIB + 128) + 8 * 8000 + 4 * 4000 + 500
    speed = found["performance"]
    assert speed["bytes"] == moved
    assert speed["slowest_rank_ns"] == 97_500_000
    assert speed["mib_per_second"] == pytest.approx(moved / MIB / 0.0975)
    assert speed["mib_per_second_per_node"] == pytest.approx(moved / MIB / 0.0975 / 2)
    # Darshan's: rank 5 took 50.5 ms in files of its own, and the slowest of the shared file 47 ms there.
    assert speed["agg_time_by_slowest_ns"] == 50_500_000 + 47_000_000
    assert speed["agg_perf_by_slowest"] == pytest.approx(moved / MIB / 0.0975)
    # The same of single layers: as if these were all.
    assert {layer: row["agg_time_by_slowest_ns"] for layer, row in speed["by_interface"].items()} == {
        "hdf5": 46_000_000, "mpiio": 41_000_000, "posix": 62_000_000 + 7_000_000, "stdio": 50_500_000,
    }  # fmt: skip
    assert speed["metadata_share"] == pytest.approx(44_000_000 / 522_100_000)
    assert speed["system_share"] == pytest.approx(402_100_000 / 522_100_000)
    assert found["access"]["files_per_rank"] == 11 / 8
    assert found["access"]["creates_per_rank"] == 9 / 8
    assert found["access"]["sequential_share"] == 1
    assert found["access"]["aligned_share"] == pytest.approx(1 - 12 / 34)
    assert found["access"] | {"written": 9, "held_data": 0, "truncated_at_open": 8} == found["access"]
    assert {name: row["files"] for name, row in found["strategies"].items()} == {
        "unique": 9, "partially shared": 1, "shared": 1,
    }  # fmt: skip
    assert {name: row["files"] for name, row in found["interfaces"].items()} == {
        "hdf5": 1, "mpiio": 1, "posix": 3, "stdio": 8,
    }  # fmt: skip
    assert [row["rank"] for row in found["slowest_ranks"][:2]] == [5, 3]
    assert {row["rank"] for row in found["fastest_ranks"]} >= {4, 6, 7}
    assert found["mpi"] == {"calls": 480, "bytes": 8 * 40_000, "time_ns": 8 * 300_000_000 + 7 * 10**8 + 10**6}
    assert found["io_ns"]["imbalance"] == pytest.approx(97_500_000 / (522_100_000 / 8))
    assert [node["host"] for node in found["slowest_nodes"]] == ["node1"]
    assert [node["host"] for node in found["fastest_nodes"]] == ["node0"]


def test_a_shared_file_and_what_is_known_of_it(tmp_path: Path) -> None:
    facts = json.loads(run("show", parallel(tmp_path / "a.hr"), "--json").stdout)
    rows = {row["path"].rpartition("/")[2]: row for row in facts["rows"]}
    dump = rows["dump.h5"]
    assert dump["interfaces"] == ["hdf5", "mpiio", "posix"]
    assert dump["ranks"]["strategy"] == "shared"
    assert dump["ranks"]["bytes"] == {
        "least": 8 * MIB + 128,
        "most": 8 * MIB + 128,
        "mean": 8 * MIB + 128,
        "variance": 0,
    }
    assert (dump["write"]["calls"], dump["access"]["write"]["operations"]) == (24, 16), (
        "HDF5's, and the system's"
    )
    assert rows["halo.bin"]["ranks"]["slowest"] == {"rank": 3, "host": "node0"}
    assert rows["halo.bin"]["ranks"]["fastest"] == {"rank": 0, "host": "node0"}
    known = {fact["key"]: (fact["value"], fact["records"]) for fact in dump["properties"]}
    assert known["lustre.osts"] == ("3,7", 8)
    assert known["hint_used.romio_cb_write"] == ("enable", 8), "hints are of the file as MPI-IO opened it"
    assert known["hdf5.chunk"][0] == "1024,1024", "and layouts of the datasets in it"
    assert (rows["halo.bin"]["ranks"]["strategy"], rows["halo.bin"]["ranks"]["ranks"]) == (
        "partially shared",
        4,
    )
    assert rows["rank5.log"]["ranks"]["strategy"] == "unique"
    text = " ".join(run("show", parallel(tmp_path / "b.hr")).stdout.split())
    assert "8 ranks on 2 nodes" in text
    assert "shared by 8 ranks" in text
    assert "stripes: 2 of 4 MiB" in text


def test_jobs_without_ranks_have_no_such_figures(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.file(1, "/a", writes=1, bytes_written=8)
    facts = json.loads(run("show", maker.write(tmp_path / "a.hr"), "--json").stdout)
    assert facts["parallel"] is None
    assert facts["rows"][0]["ranks"] is None


def test_logs_of_earlier_versions_have_ranks_without_their_number(tmp_path: Path) -> None:
    facts = json.loads(run("show", simulation(tmp_path / "a.hr"), "--json", "--files", "100").stdout)
    assert facts["parallel"]["ranks"] == 2
    rows = {row["path"]: row["ranks"] for row in facts["rows"]}
    assert rows["/scratch/in/mesh.h5"]["strategy"] == "shared"
    assert rows["/scratch/out/step0.1.tmp"]["strategy"] == "unique"


def test_programs_that_touched_no_files(tmp_path: Path) -> None:
    """Standard streams are none."""
    maker = LogMaker()
    for number, instance in ((1, 5), (2, 5), (3, 6)):
        maker.process(number, instance=instance, rank=number % 2, ranks=2, executable=f"/bin/p{instance}")
        maker.file(number, "<stdout>", kind="stream", writes=1, bytes_written=5)
    maker.file(3, "/out", writes=1, bytes_written=5)
    log = maker.write(tmp_path / "a.hr")
    found = json.loads(run("show", log, "--json").stdout)["parallel"]["instances"]
    assert [(row["executable"], row["no_files"]) for row in found] == [("/bin/p5", True), ("/bin/p6", False)]
    text = " ".join(run("show", log).stdout.split())
    assert "p5: 2 ranks on 1 node, it used no files, standard streams apart." in text
    assert "1 of its 2 ranks are in the log" in text


def test_who_opens_first_says_what_a_file_held(tmp_path: Path) -> None:
    """Rank 1 finds what rank 0 wrote; that is no overwriting."""
    maker = LogMaker()
    for rank in (0, 1):
        maker.process(rank + 1, rank=rank, ranks=2, instance=5)
        maker.file(
            rank + 1, "/new", flags=1 | 1 << 5, size_at_open=100 * rank, first_open_at_ns=10 + rank,
            writes=1, bytes_written=100,
        )  # fmt: skip
        maker.file(
            rank + 1, "/old", flags=1 << 5, size_at_open=100 - 100 * rank, first_open_at_ns=10 + rank,
            writes=1, bytes_written=100,
        )  # fmt: skip
    access = json.loads(run("show", maker.write(tmp_path / "a.hr"), "--json").stdout)["parallel"]["access"]
    assert access | {"created": 1, "written": 2, "held_data": 1, "held_data_unknown": 0} == access


def test_extremes_share_no_row() -> None:
    rows = [{"value": value} for value in (5, 1, 5, 3, 2)]
    slowest, fastest = extremes(rows, lambda row: row["value"], 2)
    assert [row["value"] for row in slowest] == [5, 5]
    assert [row["value"] for row in fastest] == [1, 2]
    assert extremes(rows[:1], lambda row: row["value"], 5) == ([rows[0]], [])
    assert spread([2, 4]) == {"least": 2, "most": 4, "mean": 3, "variance": 1, "imbalance": 4 / 3}
    assert spread([]) is None
    assert signed((1 << 64) - 5) == -5


def test_records_that_stand_for_all_ranks(tmp_path: Path) -> None:
    """As Darshan has them: a process without a rank, but with the number of ranks."""
    maker = LogMaker()
    everyone = {"ranks": 4, "instance": 9, "host": ""}
    maker.process(100, rank=-1, **everyone)
    for rank in range(4):
        maker.process(rank + 1, rank=rank, **everyone)
        maker.file(rank + 1, f"/own{rank}", writes=1, bytes_written=MIB, write_ns=10**9 * (rank + 1))
    shared_record = maker.file(
        100, "/shared", writes=4, bytes_written=8 * MIB, write_ns=20 * 10**9, meta_ns=4 * 10**9
    )
    stream = maker.file(100, "<stdout>", kind="stream", layer="stdio", writes=1)
    unknown = (1 << 64) - 1
    for record, slowest in ((shared_record, 8), (stream, 50)):
        maker.add(
            "shared", record=record, ranks=4, who="0-3", bytes_least=unknown, bytes_most=unknown,
            bytes_mean=2.0 * MIB, bytes_variance=-1.0, time_least_ns=unknown, time_most_ns=slowest * 10**9,
            time_mean_ns=6e9, time_variance_ns2=2e18, fastest_rank=-1, slowest_rank=3,
        )  # fmt: skip
    log = maker.write(tmp_path / "a.hr")
    facts = json.loads(run("show", log, "--json").stdout)
    found = facts["parallel"]
    assert (found["ranks"], found["nodes"], found["instances"][0]["no_files"]) == (4, None, False)
    assert found["reduced"] == {
        "files": 1, "bytes": 8 * MIB, "io_ns": 24 * 10**9, "system_ns": 24 * 10**9, "meta_ns": 4 * 10**9,
    }  # fmt: skip
    assert found["performance"]["bytes"] == 12 * MIB
    assert found["performance"]["mib_per_second"] is None, "nobody knows what one rank took in all"
    assert found["performance"]["agg_time_by_slowest_ns"] == 8 * 10**9 + 4 * 10**9
    assert found["performance"]["agg_perf_by_slowest"] == 1
    [shared] = [row["ranks"] for row in facts["rows"] if row["path"] == "/shared"]
    assert (shared["strategy"], shared["ranks"], shared["world"]) == ("shared", 4, 4)
    kept = {"least": None, "most": 8 * 10**9, "mean": 6 * 10**9, "variance": 2e18}
    assert shared["time_ns"] == kept
    assert (shared["slowest"], shared["fastest"]) == ({"rank": 3, "host": ""}, None)
    assert facts["job"]["processes"] == 4, "what stands for ranks is no process"
    assert {row["pid"] for row in facts["processes"]} == {1001, 1002, 1003, 1004}
    text = " ".join(run("show", log).stdout.split())
    assert "1 file with 8 MiB and 24 s have one record for all ranks" in text
    assert "shared by 4 ranks" in text
    assert found["slowest_ranks"] == [] and found["io_ns"] is None and "slowest 3" not in text
    assert run("report", log, "-o", tmp_path / "a.html").returncode == 0


@pytest.mark.parametrize(("own", "told"), [(0, False), (1, True)])
def test_bytes_behind_calls_have_no_speed(tmp_path: Path, own: int, told: bool) -> None:
    """ROMIO fetches with aio what a call of MPI-IO waits for; else nobody knows how long it took."""
    log = LogMaker()
    log.process(1, rank=0, ranks=1, instance=7)
    log.file(1, "/data", writes=4, bytes_written=MIB, write_ns=1000, flags=1 << 12)
    log.add("profiles", process=1, function="aio_return", layer="posix", calls=4, bytes=MIB, time_ns=9)
    if own:
        log.file(1, "/data", layer="mpiio", writes=4, bytes_written=MIB, write_ns=10**9)
    path = log.write(tmp_path / "a.hr")
    speed = json.loads(run("show", path, "--json").stdout)["parallel"]["performance"]
    posix = speed["by_interface"]["posix"]
    assert (posix["agg_perf_by_slowest"], posix["why_not"]) == (None, "asynchronous")
    assert (speed["agg_perf_by_slowest"] == 1) == told == (speed["mib_per_second"] == 1)
    text = " ".join(run("show", path).stdout.split())
    assert "posix \N{EN DASH} (bytes moved behind its calls)" in text
    assert ("Speed not known: aio moved bytes behind its calls" in text) == (not told)
