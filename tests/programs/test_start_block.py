"""Arguments, environment and auxiliary vector lie as without capture: programs walk from one to the next."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from tracing import LIBRARY, Compile, Outcome, Tracer

WAYS = [
    "system",
    "popen",
    "spawn",
    "vfork",
    "execv",
    "execve",
    "library",
    "empty",
    "null",
    "clearenv",
    "setenv",
]
WAYS.append("loader")
GO = Path(__file__).parent / "go"
# What launchers tell each rank anew.
OF_LAUNCHERS = re.compile(rb"\n  (OMPI|PMI|PMIX|HYDRA|MPIR|HYDI|MPICH|ORTE|_|PWD|OLDPWD)[A-Z_a-z0-9]*=[^\n]*")


@pytest.fixture(scope="session")
def program(build: Compile) -> Path:
    return build("start_block", "cc", "-D_GNU_SOURCE")


@pytest.mark.parametrize(
    "variables", [["A=0", "Z=1"], ["LD_PRELOAD=libm.so.6"], ["A=0", "LD_PRELOAD=libm.so.6", "Z=1"], []]
)
def test_every_way_of_starting(program: Path, tracer: Tracer, variables: list[str]) -> None:
    done = tracer.compare(["env", "-i", *variables, program, *WAYS])
    assert done.status == 0
    assert done.captured > len(WAYS)
    assert b"HEADRACE_JOB" not in done.output
    assert done.output.count(b" 6 ") >= 4 * (1 + len(WAYS)), "not every walk found the size of a page"


def test_the_command_itself(program: Path, tracer: Tracer) -> None:
    for variables in ({"LD_PRELOAD": ""}, {"LD_PRELOAD": "libm.so.6"}):
        done = tracer.compare([program], env=variables)
        assert b"?" not in done.output.replace(b" 16?", b""), "the C library has other values"


def test_a_library_that_changes_the_environment_before(program: Path, tracer: Tracer, tmp_path: Path) -> None:
    source = tmp_path / "changes.c"
    source.write_text(
        "#include <stdlib.h>\n"
        '__attribute__((constructor)) static void change(void) { setenv("CHANGED", "1", 1); }\n'
    )
    library = tmp_path / "changes.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    linked = tmp_path / "linked"
    source = Path(__file__).parent / "c" / "start_block.c"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-o", linked, "-Wl,--no-as-needed", source, library], check=True)
    done = tracer.run([linked, "execv"], capture=True)
    assert done.status == 0
    for part in re.split(rb"behind the arguments|environ\n", done.output)[1:]:
        assert b"HEADRACE_JOB" not in part
        assert b"LD_PRELOAD" not in part
    assert done.output.count(b"CHANGED=1") >= 2


@pytest.mark.parametrize("dropped", ["HEADRACE_START", "HEADRACE_FILLER"])
def test_additions_that_somebody_dropped(program: Path, tracer: Tracer, dropped: str) -> None:
    """An odd number of them is left: only who asks nobody sees an entry twice, and all find the vector."""
    launcher = tracer.scratch / "mpirun"  # a program of this name finds the additions, to hand them on
    shutil.copy(program, launcher)
    plain = tracer.run(["env", "-i", "A=1", "Z=2", launcher, "--without", "NAME", program])
    done = tracer.run(["env", "-i", "A=1", "Z=2", launcher, "--without", dropped, program], capture=True)
    assert done.status == 0, done.errors
    assert plain.output.count(b"  Z=2\n") == 4
    twice = plain.output.replace(b"  Z=2\n", b"  Z=2\n  Z=2\n", 1)
    assert done.output == twice.replace(b"environ is the kernel's", b"environ is another").replace(
        b"argument ", b"a constructor's environment lies elsewhere\nargument ", 1
    )


@pytest.mark.parametrize("launcher", ["mpirun.openmpi", "mpirun.mpich"])
def test_ranks(program: Path, tracer: Tracer, launcher: str) -> None:
    if not shutil.which(launcher):
        pytest.skip(f"{launcher} is not installed")
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command: list[str | Path] = [launcher, "-n", "1", program]

    def run(capture: bool) -> Outcome:
        """Hydra writes to a rank that is gone in one run of 300, captured or not, and SIGPIPE ends it."""
        runs = (tracer.run(command, capture, env=allowed) for _ in range(5))
        return next(done for done in runs if done.status != -signal.SIGPIPE)

    plain, done = run(False), run(True)
    assert (done.status, plain.status) == (0, 0), done.errors
    assert OF_LAUNCHERS.sub(b"", done.output) == OF_LAUNCHERS.sub(b"", plain.output)
    assert done.captured > 1


@pytest.fixture(scope="session")
def go_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """go/main.go with C code, so that it is linked dynamically."""
    if not shutil.which("go"):
        pytest.skip("go is not installed")
    directory = tmp_path_factory.mktemp("go")
    out = directory / "program"
    environment = {
        **os.environ,
        "CGO_ENABLED": "1",
        "GOCACHE": str(directory / "cache"),
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-buildvcs=false",
        "HOME": str(directory),
    }
    subprocess.run(["go", "build", "-o", out, "."], cwd=GO, env=environment, check=True)
    return out


@pytest.mark.timeout(300)
@pytest.mark.parametrize("through", ["itself", "shell", "cleared"])
def test_a_go_program(go_program: Path, tracer: Tracer, through: str) -> None:
    start: dict[str, list[str | Path]] = {
        "itself": [],
        "shell": ["sh", "-c", 'echo | "$0" "$@"; exec "$0" "$@"'],
        "cleared": ["env", "-i"],
    }
    done = tracer.compare([*start[through], go_program, "one", "two"])
    assert done.status == 0
    assert b"argument two\n" in done.output
    assert done.file_writes["from-c"] in (10, 20)  # "shell" runs it twice
    assert done.gaps["Go programs"] >= 1, (
        "what it does itself, and its child, are not captured: the log says so"
    )


@pytest.mark.timeout(300)
def test_a_go_program_that_is_preloaded_by_hand(go_program: Path, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    variables = {
        "PATH": os.environ["PATH"],
        "LD_PRELOAD": str(LIBRARY),
        "HEADRACE": "on",
        "HEADRACE_SPOOL": str(spool),
    }
    done = subprocess.run([go_program], cwd=tmp_path, env=variables, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert list(spool.rglob("*.spool"))


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_git_lfs(tracer: Tracer) -> None:
    """A Go program of Debian's, by its own commands and started by git as a filter."""
    if not shutil.which("git-lfs"):
        pytest.skip("git-lfs is not installed")
    steps = [
        "git init -q -b main .",
        "git lfs install --local",
        "git lfs track '*.bin'",
        "head -c 3000000 /dev/zero >a.bin",
        "git add .",
        "git -c user.name=n -c user.email=e@x commit -qm one",
        "git lfs ls-files",
        "rm a.bin",
        "git checkout a.bin",
        "wc -c a.bin",
        "git cat-file -p HEAD:a.bin",
    ]
    script = " && ".join(steps)
    dates = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"}
    without = tracer.run(["sh", "-c", script], env=dates)
    done = tracer.run(["sh", "-c", script], capture=True, env=dates)
    assert (done.status, done.output) == (without.status, without.output) == (0, without.output), done.errors
    assert done.gaps["Go programs"] >= 3
