"""What tests of several folders share.

Tests marked `alone` run while no other process of the test run (pytest-xdist) runs one.
What they measure would otherwise depend on the tests beside them. Two locks between the processes: every test
holds `running`, together with others or, if it runs alone, by itself; who waits for that holds `turn`, so
no row of other tests keeps it waiting.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

# What Open MPI wants to be told: that it may start ranks for root, which tests in containers are, and more of
# them than there are cores (versions 4 and 5), where those that wait let others work. And that they are on
# one machine: version 5 complains where the interfaces of a virtual one do not reach each other.
os.environ.update(
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_rmaps_base_oversubscribe="1",
    PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
    OMPI_MCA_mpi_yield_when_idle="1",
    OMPI_MCA_btl_tcp_if_include="lo",
)

# Launchers of Open MPI have directories below one place. Those of version 4 remove the common one when they
# end, and one that begins at that moment fails. Those of version 5 that are killed leave theirs, named by the
# number of their process: a later one with that number does not start. Each process that runs tests has its
# own place for them; none stays.
SESSIONS = Path(tempfile.mkdtemp(prefix="headrace-mpi-", dir="/tmp"))
atexit.register(shutil.rmtree, SESSIONS, ignore_errors=True)
os.environ.update(OMPI_MCA_orte_tmpdir_base=str(SESSIONS), PRTE_MCA_prte_tmpdir_base=str(SESSIONS))

# A shell lets what it starts in the background ignore Ctrl-C, and that what it starts in turn.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def held(place: Path, how: int) -> Iterator[None]:
    with place.open("w") as file:  # closing it lets the lock go
        fcntl.flock(file, how)
        yield


def remove_ended_sessions() -> None:
    for session in SESSIONS.glob("prterun.*.*.*"):
        if not Path("/proc", session.name.split(".")[-2]).exists():
            shutil.rmtree(session, ignore_errors=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    remove_ended_sessions()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return (yield)
    how = fcntl.LOCK_EX if item.get_closest_marker("alone") else fcntl.LOCK_SH
    with ExitStack() as stack:
        with held(item.config.rootpath / "build" / "pytest.turn", fcntl.LOCK_EX):
            stack.enter_context(held(item.config.rootpath / "build" / "pytest.running", how))
        return (yield)


@pytest.fixture(scope="session")
def obeying() -> list[str]:
    """Words before a command that may then read only what its user is permitted to, root too."""
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def records_left(place: Path) -> list[Path]:
    """Directories of records in the usual place that belong to logs below `place`."""
    own = f"\nlog={place}/".encode()
    jobs = Path("/dev/shm").glob(f"headrace-{os.geteuid()}-*/job")
    left = []
    for job in jobs:
        with suppress(OSError):  # one that another test's job just removed
            if own in b"\n" + job.read_bytes():
                left.append(job.parent)
    return left


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whoever leaves a process behind waits for the end of its log; whoever kills a launcher collects."""
    if "tmp_path" not in request.fixturenames:
        yield
        return
    place = request.getfixturevalue("tmp_path")  # which goes after this
    yield
    end = time.monotonic() + 20
    while (left := records_left(place)) and time.monotonic() < end:
        time.sleep(0.05)
    for directory in left:
        shutil.rmtree(directory, ignore_errors=True)
    assert left == [], "records of jobs that nobody collected"


@pytest.fixture(scope="session")
def next_line() -> Callable[[subprocess.Popen[str]], str]:
    """The next line that a program prints; one that prints none for a minute is killed."""

    def read(process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        end = threading.Timer(60, process.kill)
        end.start()
        try:
            return process.stdout.readline()
        finally:
            end.cancel()

    return read


@pytest.fixture
def small_tmpfs(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts a tmpfs of the given size."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small tmpfs")
    mounted: list[Path] = []

    def mount(size: str) -> Path:
        directory = tmp_path / f"small{len(mounted)}"
        directory.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(directory)],
            check=False,
            capture_output=True,
        )
        if done.returncode != 0:
            pytest.skip(f"no tmpfs can be mounted here: {done.stderr.decode()}")
        mounted.append(directory)
        return directory

    yield mount
    for directory in mounted:
        left = [path.name for path in directory.iterdir() if path.name.startswith("headrace")]
        subprocess.run(["umount", str(directory)], check=True)
        assert not left, "litter"
