"""A wheel, what it is installed into, and commands that run there as on a machine that builds nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# All that programs find besides Headrace: no compiler, no linker, no git, no cmake, and no other Python.
COMMANDS = ["sh", "bash", "cat", "cp", "dd", "env", "head", "ls", "mkdir", "rm", "sleep", "true", "uname"]


def made_wheel() -> Path:
    """By the command that README names."""
    run = subprocess.run(
        ["make", "wheel"], cwd=ROOT, capture_output=True, text=True, timeout=280, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    said = next(line for line in run.stdout.splitlines() if line.startswith("wheel: "))
    return ROOT / said.split()[1]


def base_python() -> str:
    """The Python that the environment of these tests was made from."""
    return str(Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")


def for_base_python() -> list[str]:
    """What its own packages make necessary: pyarrow refuses a NumPy older than 2, as Debian 12 has."""
    asked = [base_python(), "-c", "import numpy; print(numpy.__version__)"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    return ["numpy>=2"] if told.stdout.startswith(("0.", "1.")) else []


def pip_install(python: str | Path, *arguments: str | Path, **environment: str) -> None:
    """By that Python's pip, or by this one's pip for that Python."""
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", *map(str, arguments)]
    variables = {**os.environ, "PIP_BREAK_SYSTEM_PACKAGES": "1", "PYTHONPATH": "", **environment}
    run = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


class Machine:
    """A directory to work in, and a PATH that has an installation's commands and few others.

    `enter`: words that run a command elsewhere, in a system that has this directory as well.
    """

    def __init__(
        self, directory: Path, commands: Path, enter: Sequence[str] = (), **environment: str
    ) -> None:
        self.enter = enter
        self.work = directory / "work"
        self.work.mkdir()
        tools = directory / "tools"
        tools.mkdir()
        for name in COMMANDS:
            (tools / name).symlink_to(shutil.which(name) or f"/bin/{name}")
        home = directory / "home"
        home.mkdir()
        self.environment = {
            "PATH": f"{commands}:{tools}",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            **environment,
        }

    def shell(self, script: str, *, status: int = 0) -> str:
        """What a script prints; it has to end with this status, and no traceback may be among it."""
        run = subprocess.run(
            [*self.enter, "/bin/bash", "-uo", "pipefail", "-c", f"set -e\ncd '{self.work}'\n{script}"],
            cwd=self.work, env=self.environment,
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert run.returncode == status, f"{script}\nstatus {run.returncode}\n{run.stdout}{run.stderr}"
        assert "Traceback" not in run.stderr, run.stderr
        self.said = run.stderr
        return run.stdout


def check_commands(machine: Machine) -> None:
    """run, show, report, diff, trace, scan, bench, export and forward, on real programs."""
    shell = machine.shell
    assert shell("headrace run -o a.hr -- sh -c 'printf abc > three; cat three'") == "abc"
    shown = shell("headrace show a.hr")
    assert "log complete" in shown and "three" in shown
    shell("headrace run --trace -q -o b.hr -- sh -c 'head -c 300000 /dev/zero > large; cat large > copy'")
    assert '"bytes_written": 600000' in shell("headrace show --json b.hr").replace("\n", " ")
    assert "commands differ" in shell("headrace diff a.hr b.hr")
    assert "586 KiB" in shell("headrace trace overview b.trace.hr")
    shell("headrace report a.hr")
    assert "<title>" in (machine.work / "a.html").read_text(encoding="utf-8")
    shell("mkdir tree && cp a.hr b.hr tree && headrace scan -o scan tree")
    assert "2 files" in shell("headrace scan show scan")
    assert "every byte of 1 MiB is as it was written" in shell("headrace bench ior --block 1M --transfer 64K")
    shell("headrace export a.hr --to csv -o tables --table files && cat tables/files.csv")
    shell("headrace trace export b.trace.hr --to otf2 -o archive && ls archive/traces.otf2")
    up = "headrace forward up -q --servers 1 --root root --prefix /fwd"
    shell(f"mkdir root && {up} -- sh -c 'printf abc > /fwd/f'")
    assert (machine.work / "root/f").read_text() == "abc"
