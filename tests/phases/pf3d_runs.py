"""Runs of the two programs of examples/pf3d under capture, their readers, and their own accounts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import headrace
from capture_tools import Captured, run
from phase_tools import HERE

EXAMPLE = HERE.parents[1] / "examples" / "pf3d"
PACKAGE = Path(headrace.__file__).parents[1]
PROGRAMS = {"python": ["/usr/bin/python3", str(EXAMPLE / "python" / "pf3d.py")]}
if shutil.which("mpy.openmpi"):  # Debian 13 has no more
    PROGRAMS["yorick"] = [str(EXAMPLE / "yorick" / "run")]
READERS = {
    "yorick": ["yorick", "-batch", str(EXAMPLE / "yorick" / "planes.i")],
    "python": ["/usr/bin/python3", str(EXAMPLE / "python" / "planes.py")],
}
KINDS = ("spec", "vis", "checkpoint")


@dataclass
class Run:
    """One finished run: what was captured, and where its dumps are."""

    captured: Captured
    dumps: Path

    def said(self) -> dict[str, tuple[int, int]]:
        """{kind: (files, bytes)} as the program has it."""
        pattern = re.compile(r"(\w+): (\d+) files, (\d+) bytes;")
        found = filter(None, map(pattern.match, self.captured.text))
        return {match[1]: (int(match[2]), int(match[3])) for match in found}

    def logged(self, column: str) -> dict[str, tuple[int, int]]:
        """{kind: (files, sum of the column)} as the log has it."""
        rows = [row for row in self.captured.files(layer="posix") if row["path"].endswith(".dump")]
        result = {}
        for kind in KINDS:
            own = [row for row in rows if Path(row["path"]).name.startswith(kind)]
            result[kind] = (len(own), sum(row[column] for row in own))
        return result


class Example:
    """The programs in a directory of one test."""

    def __init__(self, directory: Path, built: Path) -> None:
        self.directory = directory
        self.environment = {
            **os.environ,
            "PF3D_BUILT": str(built),
            "PYTHONPATH": str(PACKAGE),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def run(self, program: str, ranks: int, *options: str) -> Run:
        dumps = self.directory / program
        launched = ["mpirun.openmpi", "-np", str(ranks), *PROGRAMS[program], f"dir={dumps}", *options]
        captured = run(launched, self.directory / f"{program}.hr", env=self.environment)
        assert captured.status == 0, (captured.stdout, captured.stderr)
        assert captured.stderr == b""
        return Run(captured, dumps)

    def read(self, program: str) -> dict[str, bytes]:
        """Verifies the dumps; the planes, by name."""
        dumps = self.directory / program
        done = subprocess.run(
            [*READERS[program], str(dumps)], env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 and "wrong" not in done.stdout + done.stderr, (done.stdout, done.stderr)
        assert "checkpoint 4" in done.stdout
        return {path.name: path.read_bytes() for path in (dumps / "planes").iterdir()}
