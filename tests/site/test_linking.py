"""Programs that carry the capture library themselves, dynamic and static."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from deployment_tools import COUNTS, Site, counts


def collected(site: Site, script: str, *, status: int = 0) -> Path:
    site.shell(script, status=status)
    site.shell("headrace collect --quiet -o log.hr")
    assert site.left() == []
    return site.work / "log.hr"


def processes(log: Path) -> list[dict[str, object]]:
    import headrace

    with headrace.open(log) as opened:
        rows: list[dict[str, object]] = opened.table("processes").to_pylist()
        return rows


@pytest.mark.parametrize("static", ["", "-static", "-static-pie"])
@pytest.mark.parametrize("optimised", ["-O0", "-O2 -D_FORTIFY_SOURCE=2"])
def test_counts_are_exact(site: Site, static: str, optimised: str) -> None:
    site.shell(f"headrace wrap cc {static} {optimised} -o linked simulation.c")
    assert counts(collected(site, "./linked")) == COUNTS


@pytest.mark.parametrize("static", ["", "-static"])
def test_a_kill_loses_nothing(site: Site, static: str) -> None:
    site.shell(f"headrace wrap cc {static} -o linked simulation.c")
    log = collected(site, "./linked die", status=137)
    assert counts(log) == COUNTS
    assert [row["ended"] for row in processes(log)] == ["killed"]


@pytest.mark.parametrize("static", ["", "-static"])
def test_forks_and_programs_that_it_starts(site: Site, static: str) -> None:
    """Alone it captures itself and its forked child; under the launcher also what it starts."""
    site.shell(f"headrace wrap cc {static} -o linked simulation.c")
    log = collected(site, "./linked sh -c 'echo text > shell.txt'")
    assert counts(log) == COUNTS
    assert sorted(str(row["ended"]) for row in processes(log)) == ["exec", "exit"]
    site.shell("headrace run -o run.hr -- ./linked sh -c 'echo text > shell.txt'")
    assert counts(site.work / "run.hr") == COUNTS
    rows = processes(site.work / "run.hr")
    assert len(rows) == 3 and all(row["captured"] for row in rows)
    import headrace

    with headrace.open(site.work / "run.hr") as opened:
        written = {Path(row["path"]).name: row["bytes_written"] for row in opened.table("files").to_pylist()}
    assert (written["child.dat"], written["shell.txt"]) == (3, 5)


def test_linked_and_preloaded_counts_once(site: Site) -> None:
    site.shell("headrace wrap cc -o linked simulation.c")
    log = collected(site, f"LD_PRELOAD={site.library} ./linked")
    assert counts(log) == COUNTS
    assert len(processes(log)) == 1
    other = site.directory / "libheadrace.so"  # another copy, as of another version
    other.write_bytes(site.library.read_bytes())
    assert counts(collected(site, f"LD_PRELOAD={other} ./linked")) == COUNTS
    site.shell("headrace run -o run.hr -- ./linked")
    assert counts(site.work / "run.hr") == COUNTS


def test_a_static_program_grows_by_what_the_page_says(site: Site) -> None:
    site.shell("cc -static -o plain simulation.c; headrace wrap cc -static -o linked simulation.c")
    site.shell("strip plain linked")
    grown = (site.work / "linked").stat().st_size - (site.work / "plain").stat().st_size
    assert grown < 1_250_000


def test_a_static_program_of_fortran(site: Site) -> None:
    """Its library calls what it finds by weak references only, such as pthread_mutex_destroy."""
    (site.work / "a.f90").write_text(
        "program a\n"
        "open(7, file='a.data', access='stream', form='unformatted')\n"
        "write(7) 'text'\n"
        "close(7)\n"
        "end program\n"
    )
    site.shell("headrace wrap gfortran -static -o linked a.f90")
    collected(site, "./linked")
    assert (site.work / "a.data").read_text() == "text"


def test_a_static_program_of_cplusplus(site: Site) -> None:
    (site.work / "a.cc").write_text(
        '#include <fstream>\nint main() { std::ofstream("a.txt") << "four"; return 0; }\n'
    )
    site.shell("headrace wrap c++ -static -o linked a.cc")
    log = collected(site, "./linked")
    import headrace

    with headrace.open(log) as opened:
        rows = opened.table("files").to_pylist()
    assert sum(row["bytes_written"] for row in rows if row["path"].endswith("/a.txt")) == 4


def test_no_warning_and_no_foreign_name(site: Site) -> None:
    site.shell("headrace wrap cc -static -O2 -Wl,--fatal-warnings -o linked simulation.c")
    names = subprocess.run(
        ["nm", "-g", "--defined-only", site.prefix / "lib/headrace/headrace-static.o"],
        check=True, capture_output=True, text=True,
    ).stdout.split("\n")  # fmt: skip
    others = {line.split()[-1] for line in names if line and not line.split()[-1].startswith("__wrap_")}
    assert others == {
        "headrace_phase_begin",
        "headrace_phase_end",
        "headrace_trace_recorder",
    }  # which programs look for


def test_compilers_are_wrapped_by_name_and_unwrapped(site: Site) -> None:
    site.shell(f"ln -s {site.prefix}/bin/headrace headrace-cc")
    site.shell("./headrace-cc -c simulation.c && ./headrace-cc -o linked simulation.o")
    assert "libheadrace" in site.shell("ldd ./linked")
    site.shell("HEADRACE_LINK=off ./headrace-cc -o plain simulation.o")
    assert "libheadrace" not in site.shell("ldd ./plain")
    assert site.shell("./headrace-cc -dumpversion") == site.shell("cc -dumpversion")
    site.shell("headrace wrap no-such-compiler a.c", status=127)
    assert "no-such-compiler" in site.said


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_mpi_compilers(site: Site, mpi: str) -> None:
    (site.work / "ranks.c").write_text(
        "#include <mpi.h>\nint main(int n, char** v) {\n"
        "  MPI_Init(&n, &v);\n  MPI_Barrier(MPI_COMM_WORLD);\n  return MPI_Finalize();\n}\n"
    )
    site.shell(f"headrace wrap mpicc.{mpi} -o ranks ranks.c")
    many = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    options = "--oversubscribe" if mpi == "openmpi" else ""
    site.shell(f"timeout 60 mpirun.{mpi} {options} -np 2 ./ranks", **many)
    site.shell("headrace collect --quiet -o log.hr")
    ranks = [row["rank"] for row in processes(site.work / "log.hr") if row["pid"]]
    assert sorted(ranks) == [0, 1]  # type: ignore[type-var]
