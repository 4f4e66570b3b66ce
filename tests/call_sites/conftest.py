"""Compiles programs that open files in particular ways, and runs them under capture."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headrace
import pytest
from capture_tools import run
from headrace.analysis.call_sites import CallSites, call_sites

HERE = Path(__file__).parent


@dataclass
class Sited:
    """What a program did, and which code did it."""

    log: headrace.JobLog
    sites: CallSites

    def of(self, name: str, what: str = "open") -> dict[str, Any]:
        """The site of the one file whose path ends so."""
        records = [row["record"] for row in self.log.files.to_pylist() if row["path"].endswith("/" + name)]
        found = [
            self.sites.sites[index]
            for record in records
            for index in self.sites.of_record(record)
            if self.sites.sites[index]["what"] == what
        ]
        assert len(found) == 1, f"{len(found)} sites of {name}"
        return found[0]

    def functions(self, name: str, what: str = "open") -> list[str | None]:
        return [frame["function"] for frame in self.of(name, what)["frames"]]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """compiled(SOURCE, OPTIONS…) → the program or library."""
    directory = tmp_path_factory.mktemp("sites")
    made: dict[tuple[str, ...], Path] = {}

    def compile_once(source: str, *options: str, name: str = "") -> Path:
        key = (source, *options, name)
        if key not in made:
            place = directory / str(len(made))
            place.mkdir()
            compiler = {".cc": "c++", ".f90": "gfortran"}.get(Path(source).suffix, "cc")
            made[key] = place / (name or Path(source).stem)
            command = [compiler, "-g", "-pthread", *options, "-o", made[key], HERE / "c" / source]
            subprocess.run(command, check=True, cwd=place)
        return made[key]

    return compile_once


@pytest.fixture
def sited(tmp_path: Path) -> Callable[..., Sited]:
    """Runs a command under capture and resolves its call sites."""

    def run_sited(*command: object, status: int = 0, options: tuple[str, ...] = (), **more: Any) -> Sited:
        captured = run([str(word) for word in command], tmp_path / "job.hr", options, **more)
        assert captured.status == status, captured.stderr
        log = captured.log
        assert not log.damage
        assert not [gap for gap in log.gaps.to_pylist() if gap["what"] == "damaged spool"]
        return Sited(log, call_sites(log))

    return run_sited
