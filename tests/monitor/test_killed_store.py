"""A store whose monitor was killed and never started again, in a catalog."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from headrace import catalog, samples
from headrace.catalog.add import add

HEADRACE = Path(sys.executable).parent / "headrace"


def monitor(store: Path, *words: str) -> subprocess.Popen[bytes]:
    counters = store.parent / "diskstats"
    counters.write_text("   8       0 sda 1 0 8 1 0 0 0 0 0 0 1 0 0 0 0 0 0\n")
    command = [HEADRACE, "monitor", "--at", store, "--diskstats", counters, "--interval", "0.1", *words]
    return subprocess.Popen(command)


def wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


def rows_of(store: Path) -> int:
    try:
        return samples.read(store)["samples"].num_rows
    except samples.LogNotFoundError:
        return 0


def counted(root: Path) -> tuple[int, int]:
    """Samples, and those that are there once."""
    with catalog.open(root).connect() as connection:
        rows = connection.sql("SELECT count(*) FROM samples").fetchall()
        once = connection.sql("SELECT count(*) FROM device_minutes").fetchall()
    return rows[0][0], once[0][0]


def test_what_a_killed_monitor_sampled_is_added_and_counts_once(tmp_path: Path) -> None:
    store, root = tmp_path / "store", tmp_path / "c"
    running = monitor(store)
    wait_for(lambda: rows_of(store) >= 3)
    report = add(root, [store])
    assert (report.added, report.bad) == (0, []), "it is being written"
    running.send_signal(signal.SIGKILL)
    running.wait(30)
    whole = rows_of(store)
    assert add(root, [store]).added == 1
    assert counted(root) == (whole, whole)
    assert add(root, [store]).added == 0
    assert len(list(store.rglob("*.open.hr"))) == 1, "a reader changes nothing"
    assert monitor(store, "--count", "3").wait(60) == 0
    assert list(store.rglob("*.open.hr")) == []
    later = rows_of(store)
    assert add(root, [store]).added == 2
    assert counted(root) == (whole + later, later)


def test_one_that_was_killed_before_its_first_chunk(tmp_path: Path) -> None:
    store, root = tmp_path / "store", tmp_path / "c"
    running = monitor(store)
    wait_for(lambda: rows_of(store) >= 2)
    running.kill()
    running.wait(30)
    (file,) = store.rglob("*.open.hr")
    root.mkdir()
    for content in (file.read_bytes(), b""):  # all that was sampled is in the tail
        file.write_bytes(content)
        assert add(root / str(len(content)), [store]).added == 1
        assert counted(root / str(len(content)))[1] >= 2
