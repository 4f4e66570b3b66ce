"""`headrace trace unify`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from commands import headrace as run
from made_traces import END, WRITE, damage, event, two_ranks, write


def cat(path: Path) -> str:
    return run("trace", "cat", path).stdout


def many(path: Path, ranks: range) -> Path:
    """Of these ranks 40,000 events each, with times that no two ranks share."""
    locations = []
    for rank in ranks:
        times = (10 * (16 * number + rank) for number in range(40_000))
        events = b"".join(event(at, END, WRITE, 1, at % 7919) for at in times)
        locations.append((rank + 1, 1, rank, "n1", 500 + rank, 0, events))
    return write(path, locations, [(1, 1, "/data/out")], command="x")


def test_parts_become_one(tmp_path: Path) -> None:
    whole = many(tmp_path / "whole.hr", range(4))
    parts = [many(tmp_path / f"part-{rank}.hr", range(rank, rank + 2)) for rank in (0, 2)]
    made = run("trace", "unify", "-o", tmp_path / "one.hr", *parts, "--json")
    facts = json.loads(made.stdout)
    assert (facts["events"], facts["chunks"], facts["resumed_bytes"]) == (160_000, 8, 0)
    assert cat(tmp_path / "one.hr") == cat(whole)
    assert json.loads(run("trace", "info", tmp_path / "one.hr", "--json").stdout)["closed"]
    again = run("trace", "unify", "-o", tmp_path / "one.hr", *parts)
    assert again.returncode != 0
    assert "--force" in again.stderr


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    source = many(tmp_path / "source.hr", range(6))
    clean, target, part = tmp_path / "clean.hr", tmp_path / "one.hr", tmp_path / "one.hr.part"
    assert run("trace", "unify", "-o", clean, source).returncode == 0
    for _ in range(5):
        words = [sys.executable, "-m", "headrace", "trace", "unify", "-o", str(target), str(source)]
        process = subprocess.Popen([*words, "--force"], stdout=subprocess.DEVNULL, env=dict(os.environ))
        while process.poll() is None and not part.exists():
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not target.exists() or target.read_bytes() == clean.read_bytes()
        assert run("trace", "unify", "-o", target, source, "--force").returncode == 0
        assert target.read_bytes() == clean.read_bytes()
        assert not part.exists()
        target.unlink()
    # What a kill may leave: the beginning, with a hole.
    left = bytearray(clean.read_bytes()[: clean.stat().st_size * 2 // 3])
    left[5000:9000] = bytes(4000)
    part.write_bytes(left)
    made = json.loads(run("trace", "unify", "-o", target, source, "--json").stdout)
    assert 0 < made["resumed_bytes"] < made["bytes"]
    assert target.read_bytes() == clean.read_bytes()


def test_damage_is_copied_and_told(tmp_path: Path) -> None:
    source = two_ranks(tmp_path / "source.hr")
    damage(source)
    made = run("trace", "unify", "-o", tmp_path / "one.hr", source)
    assert (made.returncode, "1 damaged chunk copied" in made.stderr) == (0, True)
    assert cat(tmp_path / "one.hr") == cat(source)


def test_what_is_no_trace_is_said(tmp_path: Path) -> None:
    assert "no such file" in run("trace", "unify", "-o", tmp_path / "one.hr", tmp_path / "none.hr").stderr
    assert not (tmp_path / "one.hr").exists()
