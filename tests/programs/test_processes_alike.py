"""Processes made in every way: fork, clone, vfork, spawn, exec, commands, programs that take no preload."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tracing import Compile, Outcome, Tracer


@pytest.mark.parametrize("how", ["fork", "_Fork", "clone"])
def test_forks_while_threads_do_io(build: Compile, tracer: Tracer, how: str) -> None:
    done = tracer.compare([build("forks", "cc", "-D_GNU_SOURCE"), how, "200"], timeout=100)
    assert done.output == b"200 children\n"


@pytest.mark.parametrize("how", ["handler", "handler-returns"])
def test_forks_in_handlers_that_interrupt_io(build: Compile, tracer: Tracer, how: str) -> None:
    done = tracer.run([build("forks", "cc", "-D_GNU_SOURCE"), how, "200"], capture=True, timeout=100)
    assert (done.status, done.output) == (0, b"200 handlers forked, 0 children failed\n")


@pytest.mark.parametrize("how", ["vfork", "spawn", "commands"])
def test_other_programs(build: Compile, tracer: Tracer, how: str) -> None:
    done = tracer.compare(
        ["env", "-i", f"PATH={os.environ['PATH']}", build("forks", "cc", "-D_GNU_SOURCE"), how, "40"]
    )
    assert done.status == 0


def test_exec_with_odd_environments_and_failing_exec(build: Compile, tracer: Tracer) -> None:
    program = build("execs", "cc", "-D_GNU_SOURCE", "-Wno-format-truncation")
    done = tracer.compare(["env", "-i", "PATH=/usr/bin:/bin", program])
    assert done.status == 0


def script_for(program: Path, directory: Path) -> Path:
    script = directory.parent / "script"
    script.write_text(f"#!{program}\n")
    script.chmod(0o755)
    return script


@pytest.mark.parametrize(
    ("reason", "compiler", "flags"),
    [("musl", "musl-gcc", []), ("static", "cc", ["-static"]), ("static", "musl-gcc", ["-static"])],
)
@pytest.mark.parametrize("through", ["exec", "spawn", "script", "shell"])
def test_programs_that_take_no_preload(
    build: Compile, tracer: Tracer, reason: str, compiler: str, flags: list[str], through: str
) -> None:
    program = build("unfit", compiler, *flags)
    commands: dict[str, list[str | Path]] = {
        "exec": ["env", "A=1", program, "3"],
        "spawn": [
            "python3",
            "-c",
            f"import os; os._exit(os.waitpid(os.posix_spawn('{program}', ['x'], {{'B': '2'}}), 0)[1])",
        ],
        "script": ["env", "-i", script_for(program, tracer.directory)],
        "shell": ["sh", "-c", f"{program} 4; echo $?; env -i C=3 {program}; head -c 3 /dev/zero"],
    }
    done = tracer.compare(commands[through])
    assert any(reason in text or "library" in text for text in done.reasons), done.reasons


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a program of another user")
def test_a_program_that_changes_its_user(build: Compile, tracer: Tracer) -> None:
    owned = build("unfit").with_name("owned")
    owned.write_bytes(build("unfit").read_bytes())
    os.chown(owned, 65534, 65534)
    owned.chmod(0o4755)
    done = tracer.compare(["env", "-i", owned])
    if b" 65534\n" not in done.output:
        pytest.skip("the file system ignores setuid")
    assert any("setuid" in text for text in done.reasons), done.reasons


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_program_of_another_user(tracer: Tracer) -> None:
    done: Outcome = tracer.compare(
        ["setpriv", "--reuid", "65534", "--clear-groups", "sh", "-c", "id -u; env | wc -l; echo $$ | wc -l"]
    )
    assert done.status == 0
