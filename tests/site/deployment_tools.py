"""An installation of Headrace in a prefix of its own, and a shell that a site's users would have."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

VENV = Path(sys.prefix)

# Writes 100 times 1,000 bytes, appends 10 lines through a stream, and with an argument starts what it names.
SIMULATION = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  char block[1000] = {0};
  int fd = open("state.dat", O_CREAT | O_RDWR | O_TRUNC, 0600);
  for (int i = 0; i < 100; ++i)
    if (write(fd, block, sizeof block) != sizeof block) return 1;
  lseek(fd, 0, SEEK_SET);
  for (int i = 0; i < 50; ++i)
    if (read(fd, block, 500) != 500) return 1;
  close(fd);
  FILE* text = fopen("steps.txt", "w");
  for (int i = 0; i < 10; ++i) fprintf(text, "%04d\n", i);
  for (int i = 0; i < 5000; ++i) putc('.', text);
  for (int i = 0; i < 7; ++i) fwrite(block, 100, 1, text);
  fclose(text);
  text = fopen("steps.txt", "r");
  while (getc(text) != EOF) {}
  fclose(text);
  if (count > 1 && strcmp(words[1], "die") == 0) raise(SIGKILL);
  if (count > 1 && fork() == 0) {
    fd = open("child.dat", O_CREAT | O_WRONLY, 0600);
    if (write(fd, "abc", 3) != 3) _exit(1);
    close(fd);
    execvp(words[1], words + 1);
    _exit(127);
  }
  int status = 0;
  wait(&status);
  return 0;
}
"""
# (reads, bytes read, writes, bytes written) of its files, by layer
COUNTS = {
    ("state.dat", "posix"): (50, 25_000, 100, 100_000),
    ("steps.txt", "stdio"): (5751, 5750, 5017, 5750),  # the last read finds the end
}


class Site:
    """A prefix with everything of this build, directories for logs and spools, and a home."""

    def __init__(self, directory: Path, spools: Path) -> None:
        self.directory, self.spools = directory, spools
        self.prefix, self.logs = directory / "prefix", directory / "logs"
        self.modules, self.slurm, self.work = directory / "modules", directory / "slurm", directory / "work"
        for made in ("etc", "bin", "lib", "command", "share"):
            (self.prefix / made).mkdir(parents=True)
        for made in (self.modules, self.slurm, self.work, directory / "home"):
            made.mkdir()
        shutil.copy(VENV / "bin/headrace", self.prefix / "bin")
        shutil.copytree(VENV / "lib/headrace", self.prefix / "lib/headrace")
        shutil.copytree(VENV / "share/headrace", self.prefix / "share/headrace")
        python = f"python{sys.version_info.major}.{sys.version_info.minor}"
        shutil.copy(VENV / "pyvenv.cfg", self.prefix)
        (self.prefix / "bin/python3").symlink_to(Path(sys.executable).resolve())
        (self.prefix / "lib" / python).symlink_to(VENV / "lib" / python)
        (self.prefix / "command/headrace").symlink_to("../bin/headrace")
        self.command = self.prefix / "command/headrace"
        self.library = self.prefix / "lib/headrace/libheadrace.so"
        (self.work / "simulation.c").write_text(SIMULATION)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("HEADRACE", "SLURM_", "PBS_", "LSB_", "XDG_", "LD_PRELOAD"))
        } | {
            "PATH": f"{self.command.parent}:{os.environ['PATH']}",
            "HOME": str(directory / "home"),
            "HEADRACE_SPOOL": str(spools),
            "PREFIX": str(self.prefix), "LOGS": str(self.logs), "MODULES": str(self.modules),
            "SLURM": str(self.slurm), "MODULEPATH": str(self.modules), "COLUMNS": "100",
        }  # fmt: skip

    def configure(self, text: str) -> None:
        (self.prefix / "etc/headrace.conf").write_text(text)

    def user_configure(self, text: str) -> None:
        path = self.directory / "home/.config/headrace.conf"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def shell(self, script: str, *, status: int = 0, **environment: str) -> str:
        """What a script prints; it has to end with this status."""
        run = subprocess.run(
            ["bash", "-uo", "pipefail", "-c", f"set -e\n{script}"], cwd=self.work,
            env=self.environment | environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        ended = run.returncode if run.returncode >= 0 else 128 - run.returncode  # as a shell says it
        assert ended == status, f"{script}\nstatus {ended}\n{run.stdout}{run.stderr}"
        self.said = run.stderr
        return run.stdout

    def build(self) -> None:
        self.shell("cc -O2 -o simulation simulation.c")

    def found(self) -> list[Path]:
        """The logs, and spools that nobody collected."""
        return sorted([*self.logs.glob("*/*/*/*.hr"), *self.work.glob("*.hr")])

    def left(self) -> list[Path]:
        return sorted(self.spools.rglob("*.spool"))


def counts(log: Path) -> dict[tuple[str, str], tuple[int, int, int, int]]:
    """Figures of the simulation's files in one log."""
    import headrace

    with headrace.open(log) as opened:
        rows = opened.table("files").to_pylist()
    wanted = {name for name, _ in COUNTS}
    return {
        (Path(row["path"]).name, row["layer"]): (
            row["reads"], row["bytes_read"], row["writes"], row["bytes_written"],
        )
        for row in rows
        if Path(row["path"]).name in wanted
    }  # fmt: skip
