"""What a trace has of a program can be chosen; what is left out is told."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import headrace
import pytest
from trace_tools import COMMAND, HERE, Traced, compile_program

Chosen = Callable[..., Traced]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program("cc -O1", [HERE / "c" / "chosen.c"], tmp_path_factory.mktemp("chosen") / "chosen")


@pytest.fixture
def chosen(program: Path, tmp_path: Path) -> Chosen:
    def run(*options: str, **environment: str) -> Traced:
        return Traced(tmp_path, [program, tmp_path], options, environment=environment)

    return run


def calls_in_log(traced: Traced) -> int:
    with headrace.open(traced.log) as log:
        return sum(row["calls"] for row in log.table("profiles").to_pylist())


def test_modules(chosen: Chosen) -> None:
    traced = chosen("--trace=stdio,phases")
    assert {row["layer"] for row in traced.rows()} == {"stdio", "phase"}
    assert traced.named("enter", "leave") == {"step": 24}
    calls = sum(row["kind"] == "io" for row in traced.rows())
    # Three regions and a counter a step.
    assert traced.accounts() == {"module": calls_in_log(traced) - calls + 12 * 4}
    assert "of modules that were not asked for" in traced.verify()
    said = " ".join(traced.command("info").split())
    assert "filter trace=stdio,phases" in said
    assert "of modules that were not asked for" in said


def test_names(chosen: Chosen) -> None:
    traced = chosen("--trace", "--trace-only", "pw*,solve,s*ep*", "--trace-skip", "steps")
    assert {row["name"] for row in traced.rows()} == {"pwrite", "solve", "step"}
    calls = sum(row["kind"] == "io" for row in traced.rows())
    assert calls == 60
    assert traced.accounts() == {"name": calls_in_log(traced) - 60 + 12 * 3}
    traced.verify()


def test_phases_and_their_instances(chosen: Chosen) -> None:
    traced = chosen("--trace", "--trace-phase", "other,st?p:3-4,9")
    assert traced.named("enter") == {"step": 3, "solve": 3, "long": 3, "short": 3}
    assert traced.named("leave") == traced.named("enter")
    assert traced.named("io") == {"fwrite": 3, "pwrite": 15}
    assert [row["value"] for row in traced.rows() if row["kind"] == "counter"] == [3, 4, 9]
    assert set(traced.accounts()) == {"phase"}
    assert "outside of the phases asked for" in traced.verify()


def test_short_ones_are_counted(chosen: Chosen) -> None:
    traced = chosen("--trace", "--trace-longer", "20ms")
    enters = traced.named("enter")
    assert enters["long"] == 1
    assert "short" not in enters
    assert traced.named("leave") == enters
    assert enters["step"] == 12, "a counter is inside"
    accounts = traced.accounts()
    assert accounts["short"] >= 12 + 11
    kept = [row for row in traced.rows() if row["kind"] == "io"]
    assert all(row["duration_ns"] >= 19_900_000 for row in kept)
    traced.verify()


def test_ranks_without_a_parallel_program(chosen: Chosen) -> None:
    traced = chosen("--trace", "--trace-ranks", "0-3")
    assert traced.rows() == []
    assert traced.accounts()["rank"] > 60
    traced.verify()


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_ranks(mpi: str, tmp_path: Path) -> None:

    source, program = tmp_path / "rank.c", tmp_path / "rank"
    source.write_text(
        "#include <mpi.h>\nint main(int count, char** values) {\n  MPI_Init(&count, &values);\n"
        "  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);\n  return MPI_Finalize();\n}\n"
    )
    subprocess.run([f"mpicc.{mpi}", "-o", program, source], check=True)
    command = ["timeout", "100", f"mpirun.{mpi}", "-np", "3", program]
    traced = Traced(tmp_path, command, ["--trace=mpi", "--trace-ranks", "0,2"])
    barriers = [row["rank"] for row in traced.rows() if row["kind"] == "enter" and "Barrier" in row["name"]]
    assert sorted(barriers) == [0] * 10 + [2] * 10
    assert traced.accounts()["rank"] >= 12
    traced.verify()


def test_ticks(chosen: Chosen) -> None:
    traced = chosen("--trace", "--trace-tick", "16ns")
    assert all(row["time_ns"] % 16 == 0 for row in traced.rows())
    assert "tick 16 ns" in " ".join(traced.command("info").split())
    assert "the same in the trace" in traced.verify()


def test_choices_outlive_flushes(tmp_path: Path) -> None:
    """Of a program that is longer than its memory for events, in which regions wait for their first event."""
    source, program = tmp_path / "long.c", tmp_path / "long"
    source.write_text(
        "#include <fcntl.h>\n#include <headrace/trace.h>\n#include <unistd.h>\n"
        "int main(int count, char** values) {\n"
        "  int file = open(values[1], O_RDWR | O_CREAT, 0600);\n"
        "  for (int i = 0; i < 60000; ++i) {\n"
        '    HEADRACE_REGION_ENTER("outer");\n    HEADRACE_REGION_ENTER("inner");\n'
        "    if (pwrite(file, &i, 4, 0) != 4 || lseek(file, 0, SEEK_SET) != 0) return 1;\n"
        '    HEADRACE_REGION_LEAVE("inner");\n    HEADRACE_REGION_LEAVE("outer");\n  }\n'
        "  return close(file) + (count != 2);\n}\n"
    )
    compile_program("cc -O1", [source], program)
    options = ["--trace", "--trace-memory", "1M", "--trace-skip", "lseek,open*,close", "--trace-tick", "16ns"]
    traced = Traced(tmp_path, [program, tmp_path / "data"], [*options, "--trace-longer", "1ns"])
    names = {name: traced.named(name) for name in ("enter", "leave", "io")}
    assert names["io"] == {"pwrite": 60_000}
    assert names["enter"] == names["leave"]
    assert names["enter"]["outer"] == names["enter"]["inner"] == 60_000
    assert names["enter"]["flush"] > 3
    assert traced.accounts()["name"] == 60_002
    assert all(row["time_ns"] % 16 == 0 for row in traced.rows())
    traced.verify()
    said = " ".join(traced.command("info").split())
    assert "filter trace_skip=lseek,open*,close trace_longer=1ns" in said


def test_settings_of_files_and_the_environment(chosen: Chosen, tmp_path: Path) -> None:
    site = tmp_path / "site.conf"
    site.write_text("trace = phases\ntrace_skip = other\ntrace_tick = 8ns\n")
    traced = chosen("--config", str(site), HEADRACE_TRACE_SKIP="st*")
    assert traced.rows() == []
    assert "trace=phases trace_skip=st*" in " ".join(traced.command("info").split())
    site.write_text("trace_only = nothing\ntrace_longer = 1s\n")
    traced = chosen("--config", str(site))
    assert not traced.trace.exists(), "they choose, and ask for nothing"


def test_a_program_without_a_launcher_obeys(program: Path, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir(mode=0o700)
    library = subprocess.run(
        [COMMAND, "config", "--preload"], capture_output=True, text=True, check=True
    ).stdout.strip()
    settings = {"HEADRACE_TRACE": "posix", "HEADRACE_TRACE_ONLY": "pwrite", "HEADRACE_SPOOL": str(spool)}
    subprocess.run(
        [program, tmp_path], env={**os.environ, **settings, "LD_PRELOAD": library}, check=True, timeout=60
    )
    (records,) = spool.iterdir()
    subprocess.run([COMMAND, "collect", "-q", "-o", tmp_path / "job.hr", records], check=True, timeout=60)
    traced = Traced.__new__(Traced)
    traced.trace = tmp_path / "job.trace.hr"
    assert traced.named("io") == {"pwrite": 60}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trace=posix,nothing"], "nor a list of modules"),
        (["--trace", "--trace-phase", "step:9-3"], "names of phases"),
        (["--trace", "--trace-ranks", "a"], "ranks, such as"),
        (["--trace", "--trace-longer", "10"], "a time, such as"),
        (["--trace", "--trace-tick", "3ns"], "a power of two"),
        (["--trace", "--trace-only", ""], "patterns of names"),
        (["--trace-only", "a"], "add --trace"),
        (["--trace", "--trace-nothing", "a"], "unknown"),
    ],
)
def test_mistakes_are_named(options: list[str], message: str, tmp_path: Path) -> None:
    command = [COMMAND, "run", *options, "-o", tmp_path / "job.hr", "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 125
    assert message in done.stderr
