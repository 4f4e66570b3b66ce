"""`headrace bench facility`: the same bytes for a seed, real files, and a catalog that agrees."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

import pytest
from headrace import catalog, logs, samples, scans
from headrace._errors import UsageError
from headrace.facility import load_preset, make_plan, plan
from headrace.facility.contents import scan_tables
from headrace.facility.devices import make_activity
from headrace.facility.rows import log_row
from headrace.facility.scheduler import lines
from headrace.facility.scheduler import row as record_of
from headrace.facility.settings import Settings

SMALL = ["--jobs", "300", "--seed", "7", "--shrink", "64", "--servers", "2", "--minutes", "3000"]

COLUMNS = ("bytes_read", "bytes_written", "reads", "writes", "opens", "seeks", "meta_ns")


def facility(*words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-P", "-m", "headrace", "bench", "facility", *words]
    return subprocess.run(line, capture_output=True, text=True, timeout=240, check=False)


def sums(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("facility") / "made"
    done = facility(*SMALL, "-o", str(directory))
    assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    path = tmp_path_factory.mktemp("facility") / "catalog"
    done = facility(*SMALL, "--direct", str(path), "--json")
    assert done.returncode == 0, done.stderr
    return path, json.loads(done.stdout)


def small_plan():
    return make_plan(load_preset("intrepid"), Settings(300, 7, 64))


def test_a_seed_gives_the_same_bytes(made: Path, tmp_path: Path) -> None:
    assert facility(*SMALL, "-o", str(tmp_path / "again")).returncode == 0
    assert sums(made) == sums(tmp_path / "again")
    other = [word if word != "7" else "8" for word in SMALL]
    assert facility(*other, "-o", str(tmp_path / "again")).returncode == 0  # in place of the former
    assert sums(made) != sums(tmp_path / "again")


def test_job_logs_say_what_was_planned(made: Path) -> None:
    compared = 0
    for job in small_plan().jobs():
        path = made / "logs" / str(job.number // 1000) / f"{job.number}.hr"
        assert path.exists() == (job.runs is not None)
        if job.runs is None:
            continue
        wanted = log_row(job, 0, "slurm")
        log = logs.open(path)
        rows = [
            row
            for row in log.files.select([*COLUMNS, "path", "layer"]).to_pylist()
            if row["layer"] in ("posix", "stdio")
        ]
        for column in COLUMNS:
            assert sum(row[column] for row in rows) == wanted[column], (job.number, column)
        assert len({row["path"] for row in rows}) == wanted["files"]
        compared += 1
    assert compared == sum(share[3] for share in small_plan().shares)


def test_samples_and_scans_can_be_read(made: Path) -> None:
    truth = json.loads((made / "truth.json").read_text())
    table = samples.read(made / "samples")["samples"]
    assert table.num_rows == 3000 * 2 * 2
    for column in ("read", "write"):
        total = truth["throughput_totals"]["all"]["bytes_read" if column == "read" else "bytes_written"]
        assert sum(table[f"{column}_bytes"].to_pylist()) == total
    last = scans.read(made / "scans" / "scan-2.hr")
    assert last["scans"]["files"].to_pylist() == [191_400_000]
    every = last["scan_histograms"].to_pylist()
    by_size = [row for row in every if row["histogram"] == "size" and row["owned_by"] == "all"]
    assert sum(row["files"] for row in by_size) == 191_400_000
    below = sum(row["files"] for row in by_size if row["high"] <= 1 << 20)
    assert below / 191_400_000 == pytest.approx(0.86, abs=1e-6)


def test_the_catalog_agrees_with_the_truth(direct: tuple[Path, dict]) -> None:
    pytest.importorskip("duckdb")
    path, truth = direct
    connection = catalog.open(path).connect()
    found = connection.execute(
        "SELECT project, count(*), sum(covered::int), sum(core_hours), sum(bytes_read + bytes_written)"
        " FROM jobs GROUP BY 1"
    ).fetchall()
    assert {row[0] for row in found} == set(truth["project_coverage"])
    for project, jobs, covered, hours, size in found:
        wanted = truth["project_coverage"][project]
        assert (jobs, covered, size) == (wanted["jobs"], wanted["jobs_covered"], wanted["bytes"])
        assert hours == pytest.approx(wanted["core_hours"])
    for row, sharing in (("unique", "unique"), ("partially shared", "partial"), ("shared", "shared")):
        size = connection.execute(
            "SELECT coalesce(sum(bytes_read + bytes_written), 0) FROM files WHERE sharing = ?", [sharing]
        ).fetchone()[0]
        told = truth["strategies"].items()
        assert size == sum(values["bytes"] or 0 for key, values in told if key.endswith(f"/{row}"))
    read, written, minutes = connection.execute(
        'SELECT sum(read_bytes), sum(write_bytes), count(DISTINCT "start") FROM device_minutes'
        " WHERE file_system IS NOT NULL"
    ).fetchone()
    totals = truth["throughput_totals"]["all"]
    assert (read, written, minutes) == (totals["bytes_read"], totals["bytes_written"], 3000)


def test_files_and_rows_have_one_truth(made: Path, direct: tuple[Path, dict]) -> None:
    assert json.loads((made / "truth.json").read_text()) == direct[1]


def test_rows_are_added_once(direct: tuple[Path, dict]) -> None:
    before = catalog.open(direct[0]).table("logs").num_rows
    assert facility(*SMALL, "--direct", str(direct[0])).returncode == 0
    assert catalog.open(direct[0]).table("logs").num_rows == before


def test_a_catalog_has_one_facility(direct: tuple[Path, dict]) -> None:
    for other in (["--seed", "8"], ["--scheduler", "pbs"], ["--servers", "3"]):
        done = facility(*SMALL, *other, "--direct", str(direct[0]))
        assert done.returncode == 2 and "another made-up facility" in done.stderr


@pytest.mark.parametrize("scheduler", ["slurm", "pbs", "cobalt"])
def test_records_mean_the_same_in_every_zone(tmp_path: Path, scheduler: str) -> None:
    jobs = [job for job, _ in zip(small_plan().jobs(), range(30), strict=False)]
    (tmp_path / "records").write_text("".join(line + "\n" for line in lines(jobs, scheduler, 4)))
    line = [
        sys.executable,
        "-P",
        "-m",
        "headrace",
        "catalog",
        "--at",
        tmp_path / "at",
        "add",
        tmp_path / "records",
    ]
    done = subprocess.run(line, env={**os.environ, "TZ": "America/Chicago"}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = catalog.open(tmp_path / "at").table("scheduler_jobs").to_pylist()
    found = {row["job"]: {key: value for key, value in row.items() if value is not None} for row in rows}
    for job in jobs:
        known = record_of(job, scheduler, 4)
        for name in ("submit", "start", "end"):
            known[name] = datetime.fromtimestamp(known[name] / 1e6, timezone.utc)
        assert found[str(job.number)] == known


def test_the_preset_has_the_papers_numbers() -> None:
    plan = make_plan(load_preset("intrepid"), Settings(23_653, 1))
    shares = {name: (jobs, captured) for name, _, jobs, captured in plan.shares}
    assert len(shares) == 66
    assert sum(jobs for jobs, _ in shares.values()) == 23_653
    assert sum(captured for _, captured in shares.values()) == 6_480
    assert sum(captured > 0 for _, captured in shares.values()) == 39
    assert shares["EarthScience"] == (1488, 779)
    assert shares["CombustionPhysics"] == (42, 15)


@pytest.mark.parametrize("which", [0, 1])
def test_files_of_a_project_are_a_part_of_all(which: int) -> None:
    rows = scan_tables(load_preset("intrepid"), which)["scan_histograms"].to_pylist()
    whole = {row["bucket"]: row["files"] for row in rows if row["histogram"] == "size" and not row["owner"]}
    for row in rows:
        assert row["owned_by"] == "all" or row["files"] <= whole[row["bucket"]], row["bucket"]


def test_files_are_as_large_as_their_bins_say() -> None:
    rows = scan_tables(load_preset("intrepid"), 1)["scan_histograms"].to_pylist()
    for row in rows:
        if row["histogram"] == "size":
            assert row["low"] * row["files"] <= row["bytes"] <= row["high"] * row["files"], row


def test_samples_have_the_papers_numbers() -> None:
    preset = load_preset("intrepid")
    activity = make_activity(preset, 1, preset["samples"]["minutes"])
    both = [read + written for read, written in zip(activity.read, activity.written, strict=True)]
    peak = max(both)
    assert (len(both), peak // 60 >> 20) == (63_211, 35_890)
    assert (round(sum(both) / len(both) / 60) >> 20) == 1984
    assert round(sum(moved < 0.33 * peak for moved in both) / len(both), 3) == 0.98
    assert round(sum(activity.read) / sum(both), 2) == 0.79
    assert round(max(activity.read) / 60 / 2**30, 1) == 31.7
    assert round(max(activity.written) / 60 / 2**30, 1) == 35.0


def test_a_preset_without_a_number_is_refused(tmp_path: Path) -> None:
    text = (Path(plan.__file__).parent / "intrepid.toml").read_text()
    (tmp_path / "less.toml").write_text(text.replace("tapered_days", "other_days"))
    with pytest.raises(UsageError, match="tapered_days"):
        load_preset(str(tmp_path / "less.toml"))


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("peak_bytes_per_s = 83751862272", ""),
        ("processes_per_node = 4 ", "processes_per_node = 0 "),
        ('who = "first"', 'who = "nobody"'),
        ("captured = 779", ""),
        ('start = "2010-01-23T06:00:00Z"', 'start = "soon"'),
        ("read = [120, 1048576]", "read = [120]"),
        ("below = [0.33, 0.98] ", "below = [0.33] "),
        ('layers = ["stdio"]', 'layers = ["tape"]'),
    ],
)
def test_no_preset_ends_in_a_traceback(tmp_path: Path, was: str, becomes: str) -> None:
    text = (Path(plan.__file__).parent / "intrepid.toml").read_text()
    assert was in text
    (tmp_path / "own.toml").write_text(text.replace(was, becomes))
    done = facility("--jobs", "300", "--preset", str(tmp_path / "own.toml"), "--direct", str(tmp_path / "c"))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "own.toml" in done.stderr
    assert "intrepid" in done.stderr or "must be more" in done.stderr


def test_alike_jobs_are_alike() -> None:
    earth = [job for job in small_plan().jobs() if job.runs and job.program == "earth"]
    assert len(earth) > 1
    assert len({sum(g.bytes_read for g in job.runs[0].groups) for job in earth}) == 1
    assert len({len(job.runs) for job in earth}) > 1  # instances differ


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--jobs", "99"], "--jobs 99"),
        (["--jobs", "1000001"], "1,000,000"),
        (["--shrink", "3"], "power of two"),
        (["--servers", "0"], "--servers 0"),
        (["--minutes", "1"], "--minutes 1"),
        (["--preset", "nowhere"], "intrepid"),
        (["--scheduler", "oar"], "cobalt"),
        (["--files-per-process", "0"], "--files-per-process 0"),
        (["--direct", "b"], "-o"),
    ],
)
def test_impossible_values_are_refused(words: list[str], said: str, tmp_path: Path) -> None:
    done = facility(*words, "-o", str(tmp_path / "a"))
    assert done.returncode == 2
    assert said in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "a").exists()


def test_no_directory_of_others_is_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = facility(*SMALL, "-o", str(tmp_path))
    assert done.returncode != 0 and "name another directory" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_what_was_killed_is_made_anew(made: Path, tmp_path: Path) -> None:
    line = [sys.executable, "-P", "-m", "headrace", "bench", "facility", *SMALL, "-o", str(tmp_path / "a")]
    with subprocess.Popen(line, stderr=subprocess.DEVNULL) as killed:
        while not (tmp_path / "a" / "logs" / "100").exists() and killed.poll() is None:
            time.sleep(0.001)
        killed.send_signal(signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL  # and had not ended before
    assert facility(*SMALL, "-o", str(tmp_path / "a")).returncode == 0
    assert sums(made) == sums(tmp_path / "a")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--jobs", "5"], "--jobs 5: give 100 to 1,000,000"),
        (["--shrink", "3"], "--shrink 3: give a power of two, up to 128"),
        (["--servers", "0"], "--servers 0: give 1 to 1,024"),
        (["--minutes", "1"], "--minutes 1: give 2 to "),
    ],
)
def test_a_number_out_of_its_range_is_told_the_range(tmp_path: Path, options: list[str], said: str) -> None:
    done = facility(*options, "-o", str(tmp_path / "made"))
    assert (done.returncode, done.stdout) == (2, "") and said in done.stderr
    assert not (tmp_path / "made").exists()
