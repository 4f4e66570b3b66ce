"""`headrace collect` on spools that are damaged, foreign or no files: a stated part, or a clear error."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import COMMAND, Captured, Mix, check

LIBRARY = os.environ.get(
    "HEADRACE_LIBRARY", str(Path(COMMAND).parent.parent / "lib" / "headrace" / "libheadrace.so")
)


def leave_spool(made: Mix, base: Path, *, memory: str = "256K", **options: object) -> Path:
    """Runs the mix under the library alone; returns the directory of its spool."""
    environment = {
        **os.environ,
        "LD_PRELOAD": LIBRARY,
        "HEADRACE_SPOOL": str(base),
        "HEADRACE_MEMORY": memory,
        "HEADRACE_EXCLUDE": str(made.tally.path),
    }
    done = subprocess.run(
        made.command(**options), env=environment, check=False, capture_output=True, timeout=60
    )
    assert done.returncode == 3, done.stderr
    return base / f"headrace-{os.geteuid()}"


def collect(directory: Path, log: Path, timeout: float = 60) -> Captured:
    command = [COMMAND, "collect", "-o", str(log), str(directory)]
    done = subprocess.run(command, check=False, capture_output=True, timeout=timeout)
    assert done.returncode >= 0, f"killed by signal {-done.returncode}"
    return Captured(done.returncode, done.stdout, done.stderr, log)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    directory = tmp_path / "spools"
    directory.mkdir()
    return directory


def test_collect_without_a_launcher(mix: Callable[..., Mix], base: Path, tmp_path: Path) -> None:
    made = mix(rows=6, files=500)
    directory = leave_spool(made, base, threads=2, processes=3, operations=2000, end="exit")
    (spool, *others) = directory.glob("*.spool")
    assert len(others) == 2
    assert spool.stat().st_mode & 0o777 == 0o600
    assert directory.stat().st_mode & 0o777 == 0o700
    captured = collect(directory, tmp_path / "job.hr")
    assert captured.status == 0, captured.stderr
    check(made, captured)
    assert not list(directory.glob("*.spool"))


def test_collect_from_the_place_that_programs_were_given(
    mix: Callable[..., Mix], base: Path, tmp_path: Path
) -> None:
    """HEADRACE_SPOOL names a place; what people give to collect is that."""
    made = mix(rows=6, files=500)
    directory = leave_spool(made, base, processes=3, operations=2000, end="exit")
    captured = collect(base, tmp_path / "job.hr")
    assert captured.status == 0, captured.stderr
    check(made, captured)
    assert not directory.exists()
    assert b"nothing to collect in " in collect(base, tmp_path / "none.hr").stderr


def damage(data: bytes, number: int) -> bytes:
    chance = random.Random(number)
    if number % 4 == 0:
        return data[: chance.randrange(len(data))]
    changed = bytearray(data)
    limit = 1000 if number % 4 == 1 else len(data)  # often in the header
    for _ in range(chance.choice([1, 3, 50])):
        place = chance.randrange(limit)
        changed[place] = chance.choice([0, 0xFF, changed[place] ^ 1 << chance.randrange(8)])
    return bytes(changed)


def test_damaged_spools(mix: Callable[..., Mix], base: Path, tmp_path: Path) -> None:
    made = mix(rows=2, files=200)
    directory = leave_spool(made, base, memory="128K", threads=2, operations=1500, end="exit")
    (spool,) = directory.glob("*.spool")
    good = spool.read_bytes()
    count = 200
    spool.unlink()
    for number in range(count):
        (directory / f"{10_000_000 + number}.1.spool").write_bytes(damage(good, number))
    captured = collect(directory, tmp_path / "job.hr")
    processes = captured.rows("processes")
    assert len(processes) == count
    gaps = {row["process"] for row in captured.rows("gaps")}
    for row in processes:
        assert row["captured"] or row["process"] in gaps
    assert not list(directory.glob("*.spool"))


@pytest.mark.parametrize("content", [b"", b"\0" * 65536, b"#!/bin/sh\n" * 100, os.urandom(100_000)])
def test_foreign_spools(content: bytes, base: Path, tmp_path: Path) -> None:
    directory = base / "headrace-0"
    directory.mkdir(mode=0o700)
    (directory / "10000001.abc.spool").write_bytes(content)
    (directory / "unrelated").write_bytes(content)
    captured = collect(directory, tmp_path / "job.hr")
    (row,) = captured.rows("processes")
    assert row["captured"] == 0
    assert row["reason"]


def test_things_that_are_no_files(mix: Callable[..., Mix], base: Path, tmp_path: Path) -> None:
    made = mix(rows=1, files=20)
    directory = leave_spool(made, base, operations=500, end="exit")
    secret = tmp_path / "secret"
    secret.write_bytes(next(iter(directory.glob("*.spool"))).read_bytes())
    os.mkfifo(directory / "10000001.1.spool")
    (directory / "10000002.1.spool").symlink_to(secret)
    (directory / "10000003.1.spool").mkdir()
    (directory / "10000004.1.spool").symlink_to("/dev/zero")
    captured = collect(directory, tmp_path / "job.hr", timeout=20)
    assert secret.exists()
    check(made, captured)
    assert sum(row["captured"] for row in captured.rows("processes")) == 1


def test_directory_of_somebody_else(base: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give a directory away")
    directory = base / "theirs"
    directory.mkdir(mode=0o755)
    for path in (tmp_path, base, *tmp_path.parents):
        if path == base or path.name.startswith(("test_", "popen-", "pytest-")):
            path.chmod(0o755)
    command = [
        "setpriv",
        "--reuid=12345",
        "--clear-groups",
        COMMAND,
        "collect",
        "-o",
        str(tmp_path / "job.hr"),
        str(directory),
    ]
    done = subprocess.run(command, check=False, capture_output=True)
    assert done.returncode != 0
    assert b"belongs to somebody else" in done.stderr


def test_missing_directory(tmp_path: Path) -> None:
    captured = collect(tmp_path / "nowhere", tmp_path / "job.hr")
    assert captured.status != 0
    assert b"nowhere" in captured.stderr


def test_a_spool_is_collected_once(mix: Callable[..., Mix], base: Path, tmp_path: Path) -> None:
    made = mix(rows=1, files=20)
    directory = leave_spool(made, base, operations=500, end="exit")
    copy = tmp_path / "copy"
    shutil.copytree(directory, copy)
    collect(directory, tmp_path / "one.hr")
    again = collect(directory, tmp_path / "two.hr")
    assert again.status == 125  # the directory went with its last spool
    assert directory.name.encode() in again.stderr
    assert not again.path.exists()
