"""Where a trace is when it cannot be where it should: it is saved elsewhere, and that is said."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import headrace
import pytest
from headrace.analysis import trace_checks, traces
from trace_tools import COMMAND, HERE, compile_program

KEEPS_ALL = ("--trace", "--trace-memory", "64M")
STORES_OFTEN = ("--trace", "--trace-memory", "1M")


@pytest.fixture(scope="session")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(
        "cc -pthread", [HERE / "c" / "steps.c"], tmp_path_factory.mktemp("steps") / "steps"
    )


@pytest.fixture
def rescue(tmp_path: Path) -> Path:
    """The first place that a log goes to which cannot be where it should."""
    (tmp_path / "rescue").mkdir()
    return tmp_path / "rescue"


class Ran:
    """`steps` under capture, with its log wanted at a place; and what is said."""

    def __init__(
        self,
        place: Path,
        rescue: Path,
        steps: Path,
        calls: int,
        options: tuple[str, ...],
        log: str = "job.hr",
    ) -> None:
        account = rescue.parent / "account"
        account.write_bytes(bytes(4096))
        self.log, self.trace = rescue / log, rescue / f"{log.removesuffix('.hr')}.trace.hr"
        self.wanted = place / self.trace.name
        run = [COMMAND, "run", "-q", *options, "-o", str(place / log), "--", str(steps)]
        done = subprocess.run(
            [*run, str(rescue.parent / "data"), str(account), "1", str(calls)],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
            env={**os.environ, "TMPDIR": str(rescue)},
        )
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        self.told = done.stderr

    def joined(self) -> Path:
        """As the words on stderr advise."""
        (line,) = [line for line in self.told.splitlines() if "headrace trace unify" in line]
        one = self.log.parent / "one.hr"
        words = line.split("`")[1].replace("FILE", str(one)).split()
        done = subprocess.run([COMMAND, *words[1:]], capture_output=True, check=False)
        # 1: one of them has a place that is torn.
        assert done.returncode in (0, 1), done.stderr
        return one


def headrace_trace(name: str, path: Path) -> str:
    done = subprocess.run(
        [COMMAND, "trace", name, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "4000"},
    )
    assert done.stderr == "", done.stderr
    return done.stdout


def gaps(log: Path) -> list[tuple[int, str, str]]:
    with headrace.open(log) as opened:
        rows = opened.table("gaps").to_pylist()
    return [(row["amount"], row["unit"], row["reason"]) for row in rows if "trace" in row["what"]]


def checks(trace: Path, log: Path) -> dict[str, Any]:
    with headrace.open(log) as opened:
        return {check.name: check for check in trace_checks.check(traces.Trace(trace), opened)}


def calls(trace: Path) -> int:
    rows = traces.Trace(trace).stats()["functions"]
    return sum(row["calls"] for row in rows if row["name"] == "pwrite")


@pytest.mark.parametrize("options", [KEEPS_ALL, STORES_OFTEN])
def test_a_missing_directory(steps: Path, tmp_path: Path, rescue: Path, options: tuple[str, ...]) -> None:
    ran = Ran(tmp_path / "nowhere", rescue, steps, 100_000, options)
    assert all(check.holds is not False for check in checks(ran.trace, ran.log).values())
    assert calls(ran.trace) == 100_000
    assert f"the trace is in {ran.trace}" in ran.told
    assert "incomplete" not in ran.told and gaps(ran.log) == []


def test_a_file_system_that_cannot_be_written(
    steps: Path, rescue: Path, small_tmpfs: Callable[[str], Path]
) -> None:
    place = small_tmpfs("1M")
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    ran = Ran(place, rescue, steps, 1000, KEEPS_ALL)
    assert calls(ran.trace) == 1000
    assert f"the trace is in {ran.trace}" in ran.told


def test_a_place_that_is_taken(steps: Path, tmp_path: Path, rescue: Path) -> None:
    """By a trace of another job where it is rescued to: that one is not touched."""
    (rescue / "job.trace.hr").write_bytes(b"somebody's")
    ran = Ran(tmp_path / "nowhere", rescue, steps, 1000, KEEPS_ALL)
    (line,) = [line for line in ran.told.splitlines() if "the trace is in " in line]
    trace = Path(line.split("the trace is in ")[1])
    assert trace != ran.trace
    try:
        assert calls(trace) == 1000
    finally:
        trace.unlink()
    assert (rescue / "job.trace.hr").read_bytes() == b"somebody's"


def test_a_disk_that_fills_up_at_the_end(
    steps: Path, rescue: Path, small_tmpfs: Callable[[str], Path]
) -> None:
    ran = Ran(small_tmpfs("200K"), rescue, steps, 200_000, KEEPS_ALL)
    assert f"the trace goes on in {ran.trace}" in ran.told and f"its first part is {ran.wanted}" in ran.told
    assert ran.wanted.exists() and "incomplete" not in ran.told
    said = {path: headrace_trace("info", path) for path in (ran.wanted, ran.trace)}
    assert "No space left on device" in said[ran.wanted] and "killed" not in said[ran.wanted]
    assert f"What came first is in {ran.wanted}" in said[ran.trace]
    one = ran.joined()
    assert "What came first" not in headrace_trace("info", one)
    assert calls(one) == 200_000
    found = checks(one, ran.log)
    assert all(found[name].holds for name in ("events", "balance", "order", "names", "streams", "job log"))
    assert [unit for _, unit, _ in gaps(ran.log)] == ["files"]


def test_a_disk_that_fills_up_on_the_way(
    steps: Path, rescue: Path, small_tmpfs: Callable[[str], Path]
) -> None:
    ran = Ran(small_tmpfs("300K"), rescue, steps, 500_000, STORES_OFTEN)
    # What is left in memory at the end may be small enough for what is left of the disk.
    elsewhere = ran.trace.exists()
    assert elsewhere == (f"its first part is {ran.wanted}" in ran.told)
    one = ran.joined() if elsewhere else ran.wanted
    lost = sum(row["lost"] for row in traces.Trace(one).locations)
    assert calls(one) + lost == pytest.approx(500_000, abs=10) and lost > 10_000
    assert checks(one, ran.log)["order"].holds
    assert "No space left on device" in headrace_trace("info", ran.wanted)
    (line,) = [line for line in ran.told.splitlines() if "trace incomplete" in line]
    assert f" {lost:,} calls not recorded because there was no more room" in line
    assert line.endswith(f"; see headrace trace info {ran.trace if elsewhere else ran.wanted}")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--trace", "--trace-memory", "1M", "--trace-flush", "end"), "give more with --trace-memory"),
        ((*STORES_OFTEN, "--trace-flushes", "1"), "--trace-flushes"),
        ((*STORES_OFTEN, "--trace-size", "50K"), "--trace-size"),
    ],
)
def test_what_limits_leave_out_is_said(
    steps: Path, tmp_path: Path, rescue: Path, options: tuple[str, ...], why: str
) -> None:
    ran = Ran(tmp_path, rescue, steps, 200_000, options)
    lost = sum(row["lost"] for row in traces.Trace(ran.wanted).locations)
    assert lost > 1000
    assert ran.told.startswith(f"headrace: trace incomplete: {lost:,} calls not recorded because ")
    assert why in ran.told and ran.told.endswith(f"; see headrace trace info {ran.wanted}\n")
    assert ran.told.count("\n") == 1
