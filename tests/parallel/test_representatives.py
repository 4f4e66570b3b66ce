"""`--reduce clusters`: representatives stand for ranks like them, and no total changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import headrace
import pytest
from capture_tools import COMMAND

HERE = Path(__file__).parent
RANKS = 16


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def words(*command: str | Path) -> str:
    done = subprocess.run([COMMAND, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(mpi: str, place: Path, how: str) -> Path:
    program, data, log = place / "crowd", place / "data", place / f"{how}.hr"
    if not program.exists():
        flags = words("config", "--cflags").strip()
        subprocess.run(
            [f"mpicc.{mpi}", "-Wall", "-Werror", flags, "-o", program, HERE / "c" / "crowd.c"], check=True
        )
    data.mkdir()
    # What MPI does for itself is not the same in two runs.
    options = ["--exclude", "/", "--include", data, "--reduce", how, "-o", log]
    launch = ["timeout", "100", f"mpirun.{mpi}", "-np", str(RANKS), program, data]
    environment = dict(os.environ)
    done = subprocess.run(
        [COMMAND, "run", *options, "--", *launch], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shutil.rmtree(data)
    return log


def table(log: Path, name: str) -> list[dict[str, Any]]:
    with headrace.open(log) as opened:
        return list(opened.table(name).to_pylist())


def totals(log: Path) -> dict[str, Any]:
    """What `headrace show` says of all together, without times."""
    shown = json.loads(words("show", log, "--json"))
    found: dict[str, Any] = {key: shown["totals"][key] for key in ("files", "directories")}
    for way in ("read", "write", "metadata"):
        found[way] = {key: shown["totals"][way][key] for key in ("calls", "errors")}
        found[way]["bytes"] = shown["totals"][way].get("bytes")
    found["spread"] = {key: shown["parallel"]["bytes"][key] for key in ("least", "most", "mean", "variance")}
    found["mpi"] = shown["parallel"]["mpi"]["bytes"]
    found["phase"] = [(each["phase"], each["bytes_written"]) for each in shown["phases"]]
    found["mpi_files"] = bool(shown["mpi_files"]["write"]["bytes"])
    return found


def calls(log: Path) -> dict[str, tuple[int, int]]:
    """Calls and bytes of what the program itself does as often in each run."""
    own = {"readv", "pwrite", "pwrite64", "timerfd_create", "MPI_Allreduce", "MPI_Init", "MPI_Finalize"}
    found = json.loads(words("show", log, "--json"))["functions"]
    return {row["function"]: (row["calls"], row["bytes"]) for row in found if row["function"] in own}


def of_ranks(log: Path) -> list[tuple[int, int, int]]:
    """What each rank wrote, as readers have it: rank, bytes, calls of MPI."""
    from headrace.analysis.processes import process_rows
    from headrace.analysis.ranks import rank_rows

    with headrace.open(log) as opened:
        rows = rank_rows(opened, process_rows(opened), 1)
    return [(row["rank"], row["bytes_written"], row["mpi_calls"]) for row in rows]


def test_totals_stay_the_same(mpi: str, tmp_path: Path) -> None:
    whole, reduced = run(mpi, tmp_path, "never"), run(mpi, tmp_path, "clusters")
    found = totals(reduced)
    assert found == totals(whole)
    assert found["files"] == 31 * RANKS + RANKS // 2 + 1
    assert found["directories"] >= RANKS
    assert found["write"] == {"calls": RANKS * 133, "errors": 0, "bytes": RANKS * 33_100}
    assert calls(reduced) == calls(whole)
    assert of_ranks(reduced) == of_ranks(whole)
    assert [row[1] for row in of_ranks(reduced)] == [33_100] * RANKS


def test_representatives_and_outliers_stay_whole(mpi: str, tmp_path: Path) -> None:
    log = run(mpi, tmp_path, "clusters")
    ranks = {row["process"]: row["rank"] for row in table(log, "processes") if row["rank"] >= 0}
    rows = table(log, "clusters")
    kept = {ranks[row["process"]] for row in rows if row["kept"]}
    assert kept == {row["representative"] for row in rows} | {
        ranks[row["process"]] for row in rows if row["outlier"]
    }
    assert kept
    own = [row for row in table(log, "files") if "/own." in row["path"]]
    assert {ranks[row["process"]] for row in own} == kept
    assert len(own) == 30 * len(kept)
    phases = [row for row in table(log, "phase_series") if row["phase"] == "dump"]
    assert {ranks[row["process"]] for row in phases} == kept
    if len(kept) == RANKS:
        pytest.skip("this machine was so busy that no rank was like another")
    (path,) = [
        row for row in table(log, "files") if row["path"].endswith("/shared") and row["process"] not in ranks
    ]
    (shared,) = [row for row in table(log, "shared") if row["record"] == path["record"]]
    assert shared["ranks"] == RANKS - len(kept)
    shown = json.loads(words("show", log, "--json"))
    told = shown["parallel"]["stood_for"]
    assert told["ranks"] == RANKS - len(kept) == sum(not row["kept"] for row in rows if row["phase"] == "")
    assert told["records"] >= 31 * told["ranks"]
    assert "stood for by representatives" in words("show", log)
    assert ("longer" in words("show", log)) == (told["bytes"] > 0)
    parallel = shown["parallel"]
    assert {row["files"] for row in parallel["strategies"].values()} == {None}
    assert parallel["access"]["created"] is parallel["performance"]["agg_perf_by_slowest"] is None
    assert parallel["performance"]["by_interface"] is None
    assert "not known how many files were created" in words("show", log)
    gaps = {row["what"]: row["amount"] for row in table(log, "gaps")}
    assert gaps["records of ranks"] == told["records"]
    assert gaps["instances of phases"] == 3 * told["ranks"]
    phase = json.loads(words("phases", log, "--json"))
    assert phase["stood_for"] == told["ranks"]
    assert phase["phases"][0]["members"] == len(kept)
    assert "more are stood for by these" in words("phases", log)
    refused = subprocess.run([COMMAND, "cluster", log], capture_output=True, text=True, check=False)
    assert refused.returncode != 0 and "representatives stand for" in refused.stderr


def test_launchers_of_single_ranks_keep_it_so(mpi: str, tmp_path: Path) -> None:
    run(mpi, tmp_path, "clusters")
    log, data = tmp_path / "own.hr", tmp_path / "data"
    data.mkdir()
    rank = [COMMAND, "run", "--reduce", "clusters", "-o", log, "--", tmp_path / "crowd", data]
    subprocess.run(
        ["timeout", "100", f"mpirun.{mpi}", "-np", str(RANKS), *rank], capture_output=True, check=True,
    )  # fmt: skip
    shown = json.loads(words("show", log, "--json"))
    assert shown["parallel"]["stood_for"]["ranks"] > 0
    assert [row[1] for row in of_ranks(log)] == [33_100] * RANKS
    assert shown["totals"]["write"]["bytes"] == RANKS * 33_100


def test_what_a_user_asks_for_wins_over_the_site(mpi: str, tmp_path: Path) -> None:
    """Without a launcher: each rank reads the site's file and the environment."""
    run(mpi, tmp_path, "never")
    site, data, spool = (tmp_path / name for name in ("site.conf", "data", "spool"))
    site.write_text(f"reduce = clusters\nexclude = /\ninclude = {data}\n")
    data.mkdir()
    spool.mkdir(mode=0o700)
    asked = {"HEADRACE_CONFIG": site, "HEADRACE_SPOOL": spool, "HEADRACE_REDUCE": "never"}
    preload = {"LD_PRELOAD": words("config", "--preload").strip()}
    program = ["env", *(f"{key}={value}" for key, value in preload.items()), tmp_path / "crowd", data]
    subprocess.run(
        ["timeout", "100", f"mpirun.{mpi}", "-np", "4", *program],
        env={**os.environ, **{key: str(value) for key, value in asked.items()}},
        capture_output=True, check=True,
    )  # fmt: skip
    log = tmp_path / "site.hr"
    (records,) = spool.iterdir()
    words("collect", "-o", log, records)
    assert len(table(log, "processes")) >= 4
    assert table(log, "clusters") == []
