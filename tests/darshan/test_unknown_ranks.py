"""Where one record has what all ranks did, nothing is said of single ones: unknown is not 0."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import headrace as command
from darshan_tools import at_hand
from made_logs import LogMaker

LogOf = Callable[[str], Path]
LOGS = at_hand(("3.5.0",), ("noposix",), ("imbalanced-io",), ("ior-hdf5",), ("ior-pnetcdf",))
LAYERS = {"POSIX": "posix", "STDIO": "stdio", "MPI-IO": "mpiio"}


def _facts(path: Path, *options: str) -> Any:
    run = command("show", path, "--json", *options)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def shared_and_own(path: Path) -> Path:
    """Two ranks; one record of both, on server 7, and little that rank 0 wrote alone, on server 8."""
    log = LogMaker(darshan_job_id="7")
    for rank in range(2):
        log.process(rank + 1, rank=rank, ranks=2, instance=3, pid=0, end_at_ns=10**9)
    log.process(3, rank=-1, ranks=2, instance=3)
    both = log.file(3, "/s/both", writes=4, bytes_written=1 << 20, write_ns=10**8)
    log.add("shared", process=3, record=both, ranks=2, who="0-1")
    own = log.file(1, "/s/own", writes=1, bytes_written=8, write_ns=50)
    log.add("properties", process=3, record=both, key="lustre.osts", value="7")
    log.add("properties", process=1, record=own, key="lustre.osts", value="8")
    return log.write(path)


@pytest.mark.parametrize(("name",), LOGS)
def test_no_rank_has_figures(name: str, log_of: LogOf) -> None:
    facts = _facts(log_of(name))
    parallel = facts["parallel"]
    assert parallel["reduced"]["files"] > 0
    assert parallel["io_ns"] is parallel["bytes"] is None
    assert parallel["slowest_ranks"] == parallel["fastest_ranks"] == parallel["slowest_nodes"] == []
    ranks = [row for row in facts["processes"] if row["rank"] >= 0]
    assert {row[key] for row in ranks for key in ("pid", "io_ns", "bytes_read", "calls")} == {None}
    text = command("show", log_of(name)).stdout
    assert "of each rank" not in text and "  0 ns" not in text[text.index("\nProcesses") :].split("\n\n")[0]
    assert not [line for line in text.splitlines() if line.strip() in ("reads:", "writes:")]
    assert "reads: ·" not in text and "writes: ·" not in text
    if facts["servers_against_ranks"]:
        assert facts["servers_against_ranks"]["slow"] == 0
        assert facts["servers_against_ranks"]["sentence"].startswith("How long each rank took")


@pytest.mark.parametrize(
    ("name", "layer"), at_hand(("3.5.0", "hdf5"), ("ior-hdf5", "hdf5"), ("ior-pnetcdf", "pnetcdf"))
)
def test_the_topmost_layer_has_a_word(name: str, layer: str, log_of: LogOf) -> None:
    estimates = _facts(log_of(name))["parallel"]["performance"]["by_interface"]
    assert estimates[layer]["agg_perf_by_slowest"] is not None or estimates[layer]["why_not"] == "slowest"
    text = " ".join(command("show", log_of(name)).stdout.split())
    said = text[text.index("4 ranks") :]
    assert "Speed not known: the log does not say" in said or "(agg_perf_by_slowest)" in said


@pytest.mark.parametrize(
    ("name",),
    at_hand(
        ("3.5.0",),
        ("unreduced",),
        ("dlio-1",),
        ("dlio-2",),
        ("sample-dxt-simple",),
        ("imbalanced-io",),
        ("ior-hdf5",),
    ),
)
def test_estimates_of_interfaces_are_those_of_darshan(name: str, log_of: LogOf) -> None:
    darshan = pytest.importorskip("darshan")
    from darshan.backend.cffi_backend import accumulate_records

    path = log_of(name)
    report = darshan.DarshanReport(str(path), read_all=True)
    ours = _facts(path)["parallel"]["performance"]["by_interface"]
    for module, layer in LAYERS.items():
        if module not in report.records:
            continue
        frames = report.records[module].to_df()
        theirs = accumulate_records(frames, module, report.metadata["job"]["nprocs"]).derived_metrics
        if theirs.total_bytes and theirs.agg_perf_by_slowest:
            found = ours[layer]["agg_perf_by_slowest"]
            assert math.isclose(found, theirs.agg_perf_by_slowest, rel_tol=0.01), layer


def test_a_conclusion_is_not_drawn_from_the_rest(tmp_path: Path) -> None:
    path = shared_and_own(tmp_path / "a.hr")
    facts = _facts(path)
    against = facts["servers_against_ranks"]
    assert (against["ranks"], against["slow"], against["standing_out"]) == (0, 0, [])
    assert facts["parallel"]["slowest_ranks"] == []
    for arguments in (("diff", path, path), ("scaling", path, path), ("phases", path)):
        run = command(*arguments)
        assert "Traceback" not in run.stderr
    diff = json.loads(command("diff", path, path, "--json").stdout)
    keys = {row["key"]: row for row in diff["totals"]}
    assert "slowest_process_io_ns" not in keys and "slowest_rank_io_ns" not in keys
    assert keys["rank_io_ns"]["values"][0] == pytest.approx((10**8 + 50) / 2)


def test_the_page_has_no_numbers_either(tmp_path: Path) -> None:
    from headrace import logs
    from headrace.analysis.job_facts import job_facts
    from headrace.reports.job import tables

    with logs.open(str(shared_and_own(tmp_path / "a.hr"))) as log:
        found = tables(job_facts(log))
    for name, column in (("ranks", "io_ns"), ("processes", "bytes_written"), ("processes", "pid")):
        data = b"".join(map(bytes, found[name].columns[column].data))
        values = memoryview(data).cast("d")
        assert all(map(math.isnan, values)), (name, column)
