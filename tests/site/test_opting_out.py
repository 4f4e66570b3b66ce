"""Leaving programs, users and the whole site out: the library then does nothing at all."""

from __future__ import annotations

import os
import subprocess

import pytest
from deployment_tools import COUNTS, Site, counts


def captured(site: Site, program: str, **environment: str) -> bool:
    site.shell(program, **environment)
    spools = site.left()
    for spool in spools:
        spool.unlink()
    made = [path for path in site.spools.iterdir() if path.is_dir()]
    assert bool(made) == bool(spools), "not even a directory is made"
    for directory in made:
        directory.rmdir()
    return bool(spools)


@pytest.fixture(params=["preloaded", "linked", "static"])
def program(site: Site, request: pytest.FixtureRequest) -> str:
    if request.param == "preloaded":
        return f"LD_PRELOAD={site.library} ./simulation"
    static = "-static" if request.param == "static" else ""
    site.shell(f"headrace wrap cc {static} -o linked simulation.c")
    # A static program does not know the prefix.
    site.environment["HEADRACE_CONFIG"] = f"{site.prefix}/etc/headrace.conf"
    site.configure("")
    return "./linked"


def test_every_way_to_opt_out(site: Site, program: str) -> None:
    name = program.rsplit("/", maxsplit=1)[-1]
    assert captured(site, program)
    assert not captured(site, program, HEADRACE="off")
    site.user_configure("capture = off\n")
    assert not captured(site, program)
    assert captured(site, program, HEADRACE="on")
    assert captured(site, program, HOME="/nonexistent")
    site.configure("user_configuration = off\n")
    assert captured(site, program)
    site.user_configure("")
    for pattern in (name, f"{name[:3]}*", f"{site.work}/*"):
        site.configure(f"# listed\n  never_capture =  {pattern} \n")
        assert not captured(site, program)
    site.configure("never_capture = other\nnever_capture = simulatio\n")
    assert captured(site, program)
    site.configure("capture = off\n")
    assert not captured(site, program)
    assert captured(site, program, HEADRACE="on")


def test_the_launcher_says_who_is_listed(site: Site) -> None:
    site.configure("never_capture = simulation\n")
    site.shell("headrace run -o log.hr -- sh -c './simulation; cat state.dat > copy.dat'")
    import headrace

    with headrace.open(site.work / "log.hr") as log:
        rows = log.table("processes").to_pylist()
    reasons = [row["reason"] for row in rows if row["executable"].endswith("/simulation")]
    assert reasons == ["listed: named by never_capture of the configuration"]
    assert any(row["executable"].endswith("/cat") and row["captured"] for row in rows)
    assert counts(site.work / "log.hr")[("state.dat", "posix")][0] > 0  # cat's alone
    assert counts(site.work / "log.hr")[("state.dat", "posix")][2] == 0


def test_run_is_asked_for(site: Site) -> None:
    site.configure("capture = off\n")
    site.shell("headrace run -o log.hr -- ./simulation")
    assert counts(site.work / "log.hr") == COUNTS


def test_privileged_programs_capture_nothing(site: Site) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a set-user-id program of another user")
    site.shell("headrace wrap cc -static -o linked simulation.c")
    (site.work / "linked").chmod(0o4755)
    site.work.chmod(0o777)
    site.spools.chmod(0o777)
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    subprocess.run([*as_nobody, str(site.work / "linked")], cwd=site.work, env=site.environment, check=True)
    assert site.left() == []
