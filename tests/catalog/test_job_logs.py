"""Job logs in a catalog say what `headrace show` says of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import headrace
import pytest
from darshan_tools import FOREIGN
from headrace import catalog
from headrace.analysis.summary import summarize
from headrace.catalog.add import add
from made_darshan import MADE, pack
from made_job_logs import write


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of Darshan logs: made ones, and those of other sites that are at hand."""
    directory = tmp_path_factory.mktemp("darshan")
    for name, log in MADE.items():
        (directory / f"{name}.darshan").write_bytes(pack(log()))
    for path in FOREIGN.values():
        (directory / path.name).symlink_to(path)
    return directory


def test_figures_are_those_of_show(logs: Path, tmp_path: Path) -> None:
    report = add(tmp_path / "c", [logs])
    paths = sorted(path for path in logs.iterdir() if path.suffix == ".darshan")
    rows = {row["source"]: row for row in catalog.open(tmp_path / "c").table("logs").to_pylist()}
    assert report.bad == []
    assert set(rows) == {str(path) for path in paths}
    for path in paths:
        with headrace.open(path) as log:
            _same(rows[str(path)], summarize(log))


def _same(row: dict[str, Any], shown: dict[str, Any]) -> None:
    totals, job, ranks = shown["totals"], shown["job"], shown["parallel"]
    assert (row["bytes_read"], row["bytes_written"]) == (totals["read"]["bytes"], totals["write"]["bytes"])
    assert (row["reads"], row["writes"]) == (totals["read"]["calls"], totals["write"]["calls"])
    assert row["read_ns"] + row["write_ns"] + row["meta_ns"] == totals["io_ns"]
    assert row["files"] == totals["files"]
    assert row["elapsed_ns"] == job["run_ns"]
    assert row["complete"] == (job["complete"] == "yes")
    if ranks is None:
        return
    assert row["nodes"] == ranks["nodes"]
    # Darshan does not record how files were opened: what it does not say is null, and not 0.
    assert [row[name] for name in ("creates", "files_new", "files_old")] == [
        None, *([None, None] if row["files_written"] else [0, 0])
    ]  # fmt: skip
    performance = ranks["performance"]
    if ranks["reduced"] is None:
        assert row["slowest_ns"] == performance["slowest_rank_ns"]
        assert row["slowest_exact"]
    elif performance["agg_time_by_slowest_ns"] is not None:
        assert row["slowest_ns"] == performance["agg_time_by_slowest_ns"]
        assert not row["slowest_exact"]
    for name, column in [("unique", "unique"), ("partially shared", "partial"), ("shared", "shared")]:
        strategy = ranks["strategies"][name]
        assert row[f"files_{column}"] == strategy["files"]
        assert row[f"bytes_{column}"] == strategy["bytes_read"] + strategy["bytes_written"]


def test_files_and_sizes_add_up_to_their_log(logs: Path, tmp_path: Path) -> None:
    add(tmp_path / "c", [logs])
    connection = catalog.open(tmp_path / "c").connect()
    differing = connection.execute(
        """
        SELECT l.source FROM logs l LEFT JOIN (
          SELECT log, sum(bytes_read) AS r, sum(bytes_written) AS w, sum(opens) AS o FROM files GROUP BY log
        ) f ON f.log = l.log
        WHERE coalesce(f.r, 0) <> l.bytes_read OR coalesce(f.w, 0) <> l.bytes_written
        """
    ).fetchall()
    assert differing == []


def test_bad_files_are_listed_and_the_rest_is_added(logs: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    good = logs / "3.5.0.darshan"
    shutil.copy(good, tree / "good.darshan")
    (tree / "half.darshan").write_bytes(good.read_bytes()[:900])
    (tree / "notes.txt").write_text("nothing")
    (tree / "empty.hr").write_bytes(b"")
    (tree / "head.hr").write_bytes(b"\x89HRC\r\n\x1a\x01" + bytes(50))
    report = add(tmp_path / "c", [tree])
    assert [path.name for path, _ in report.bad if path.name != "half.darshan"] == ["head.hr"]
    assert report.skipped == 2
    assert add(tmp_path / "c", [tree]).added == 0
    named = add(tmp_path / "c", [tree / "notes.txt"])
    assert [path.name for path, _ in named.bad] == ["notes.txt"]


def test_one_content_under_two_names_is_one_log(logs: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copy(logs / "3.5.0.darshan", tmp_path / f"{name}.darshan")
    report = add(tmp_path / "c", [tmp_path / "a.darshan", tmp_path / "b.darshan"])
    assert (report.added, report.known) == (1, 1)
    assert catalog.open(tmp_path / "c").table("logs").num_rows == 1


def test_numpy_is_not_needed(tmp_path: Path) -> None:
    """Whoever builds Headrace and nothing else has none: `add` ended with a traceback."""
    log = write(tmp_path / "a.hr", [(0, 100, 7)])
    code = (
        "import sys; sys.modules['numpy'] = None; from pathlib import Path; from headrace.catalog import add;"
        "print(add.add(sys.argv[1], [Path(sys.argv[2])]).added)"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "c"), str(log)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_a_job_that_runs_for_ages_is_as_long_as_its_last_call(tmp_path: Path) -> None:
    log = write(tmp_path / "a.hr", [(0, 100, 7)], start_utc_ns="0", end_utc_ns=str(2**63 - 1))
    add(tmp_path / "c", [log])
    assert catalog.open(tmp_path / "c").table("logs")["elapsed_ns"].to_pylist() == [100 * 10**9]
