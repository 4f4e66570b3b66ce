"""What a monitor may write over, and what it must not."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

HEADRACE = Path(sys.executable).parent / "headrace"


def monitor(*words: object, status: int = 0) -> str:
    command = [str(HEADRACE), "monitor", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    return done.stderr


@pytest.fixture
def store(tmp_path: Path) -> Path:
    counters = tmp_path / "diskstats"
    counters.write_text("   8       0 sda 1 0 8 1 0 0 0 0 0 0 1 0 0 0 0 0 0\n")
    return tmp_path / "store"


def sampled(store: Path, *words: object, status: int = 0) -> str:
    counters = store.parent / "diskstats"
    return monitor(
        "--at", store, "--diskstats", counters, "--interval", "0.1", "--count", "3", *words, status=status
    )


def test_metrics_take_no_other_files_place(store: Path, tmp_path: Path) -> None:
    mine, pipe = tmp_path / "mine", tmp_path / "pipe"
    mine.write_text("mine")
    os.mkfifo(pipe)
    for path, why in (
        (mine, "none of a monitor"),
        (pipe, "none of a monitor"),
        (tmp_path / "no" / "x", "No such"),
    ):
        said = sampled(store, "--openmetrics-file", path, status=2)
        assert why in said and str(path) in said
    assert mine.read_text() == "mine" and stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["diskstats", "mine", "pipe"]
    ours = tmp_path / "ours.prom"
    ours.write_text("# TYPE headrace_monitor_samples counter\n")  # of one that was killed
    sampled(store, "--openmetrics-file", ours)
    assert not ours.exists()


@pytest.mark.parametrize("form", ["--parquet", "--csv"])
def test_an_export_replaces_files_alone(store: Path, tmp_path: Path, form: str) -> None:
    sampled(store)
    pipe, table, link = tmp_path / "pipe", tmp_path / "table", tmp_path / "link"
    os.mkfifo(pipe)
    assert "no file" in monitor("export", store, form, pipe, "--force", status=4)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    table.write_text("old")
    link.symlink_to("table")
    assert "--force" in monitor("export", store, form, link, status=4)
    monitor("export", store, form, link, "--force")
    assert link.is_symlink() and table.stat().st_size > 3


@pytest.mark.parametrize("form", ["--parquet", "--csv"])
def test_an_export_writes_into_no_file_of_others(store: Path, tmp_path: Path, form: str) -> None:
    sampled(store)
    mine, loop = tmp_path / "mine", tmp_path / "loop"
    mine.write_text("mine")
    loop.symlink_to("loop")
    (tmp_path / ".a.partial").symlink_to("mine")
    (tmp_path / ".b.partial").write_text("mine too")
    for name in ("a", "b"):
        monitor("export", store, form, tmp_path / name)
    assert mine.read_text() == "mine" and (tmp_path / ".b.partial").read_text() == "mine too"
    assert (tmp_path / ".a.partial").is_symlink()
    assert f"{loop}: is a link that leads in a circle" in monitor("export", store, form, loop, status=4)


def test_exports_at_one_time(store: Path, tmp_path: Path) -> None:
    sampled(store)
    command = [HEADRACE, "monitor", "export", store, "--force", "--csv", tmp_path / "x.csv"]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(4)]
    assert [one.wait(60) for one in running] == [0] * 4
    assert (tmp_path / "x.csv").read_text().count("\n") == 1 + 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["diskstats", "store", "x.csv"]


def test_prometheus_older_text_is_what_its_reader_takes(store: Path, tmp_path: Path) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    metrics = tmp_path / "headrace.prom"
    counters = store.parent / "diskstats"
    command = [
        HEADRACE,
        "monitor",
        "--at",
        store,
        "--diskstats",
        counters,
        "--interval",
        "0.1",
        "--listen",
        "127.0.0.1:0",
    ]
    process = subprocess.Popen(
        [*map(str, command), "--prometheus-file", metrics],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = process.stdout.readline().split()[-1]
        until = time.monotonic() + 30
        while not metrics.exists() and time.monotonic() < until:
            time.sleep(0.05)
        texts = [metrics.read_text()]
        for accepted in ("*/*", "application/openmetrics-text;version=1.0.0;q=0.8,*/*;q=0.1"):
            asked = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Accept": accepted})
            with urllib.request.urlopen(asked, timeout=20) as answer:
                is_open = answer.headers["Content-Type"].startswith("application/openmetrics-text")
                assert is_open == ("openmetrics" in accepted)
                texts += [] if is_open else [answer.read().decode()]
    finally:
        process.terminate()
        process.communicate(timeout=30)
    for text in texts:
        assert "# UNIT" not in text
        families = {family.name: family for family in text_string_to_metric_families(text)}
        for family in families.values():
            assert family.documentation and family.type in ("counter", "gauge"), family.name
        assert families["headrace_device_reads"].samples[0].name == "headrace_device_reads_total"
        if promtool := shutil.which("promtool"):
            done = subprocess.run(
                [promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, "")
