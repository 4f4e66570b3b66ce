"""Runs `headrace bench` once, under a launcher where there are several ranks."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace._errors import HeadraceError, UsageError
from headrace._places import native_program
from headrace.papers.matrix import Run

__all__ = ["Machine", "NoRunError", "Runner", "command_of"]

_TOO_LARGE = 4  # exit status of `headrace bench`
# Published runs have more ranks than the cores of many machines. Open MPI 4 and 5 want to be told, and
# ranks that wait are to let others work.
_MORE_RANKS_THAN_CORES = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
_PATIENCE = 10  # seconds that a run which took too long has to remove its files


class NoRunError(HeadraceError):
    """A run failed for a reason that the next one has as well, such as a wrong launcher."""

    exit_status = 3


@dataclass(frozen=True)
class Machine:
    """`launcher`: words, of which {ranks} is replaced; `limit`: seconds for one run."""

    directory: Path
    launcher: str
    limit: float

    @property
    def facts(self) -> dict[str, str]:
        """What results are only comparable with when it is the same."""
        return {"directory": str(self.directory.resolve()), "launcher": self.launcher}


def command_of(run: Run, machine: Machine) -> list[str]:
    """UsageError: the launcher cannot be used."""
    headrace = [str(native_program()), "bench", *run.words]
    words = [*headrace, "--dir", str(machine.directory)]
    if run.table.ranks == 1:
        return words
    try:
        launcher = shlex.split(machine.launcher)
    except ValueError as error:
        raise UsageError(f"--launcher: {error}: {machine.launcher}") from error
    if not any("{ranks}" in word for word in launcher):
        raise UsageError("--launcher: say where the number of ranks goes, as in 'mpirun -n {ranks}'")
    return [*(word.replace("{ranks}", str(run.table.ranks)) for word in launcher), *words]


class Runner:
    """Runs one after the other. `stop` may be called by a handler of signals: it ends what runs, which
    removes its files first; called again, at once."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._process: subprocess.Popen[bytes] | None = None
        self._stops = 0

    def stop(self) -> None:
        self._stops += 1
        if self._process is not None:
            _end(self._process, self._stops > 1)

    def perform(self, run: Run) -> dict[str, Any]:
        """What is kept of it: "outcome" is "done" with "figures", or "too large" or "too long", with "why".
        KeyboardInterrupt: it was stopped. NoRunError: it failed."""
        if self._stops:
            raise KeyboardInterrupt
        words = command_of(run, self._machine)
        with self._started(words, run.table.ranks) as process:
            self._process = process
            if self._stops:  # while it was started
                _end(process, self._stops > 1)
            try:
                output, errors = process.communicate(timeout=self._machine.limit)
            except subprocess.TimeoutExpired:
                _end(process, False)
                try:
                    process.communicate(timeout=_PATIENCE)
                except subprocess.TimeoutExpired:
                    _end(process, True)
                return {**_kept(run, "too long"), "limit": self._machine.limit}
            finally:
                self._process = None
        if self._stops:
            raise KeyboardInterrupt
        result = _judged(run, words, process.returncode, output, errors.decode("utf-8", "replace").strip())
        return {**result, "machine": self._machine.facts}

    def _started(self, words: Sequence[str], ranks: int) -> subprocess.Popen[bytes]:
        crowded = _MORE_RANKS_THAN_CORES if ranks > (os.cpu_count() or 1) else {}
        try:
            # In a group of its own, so that an interruption reaches it once, from here.
            return subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={**crowded, **os.environ},
            )
        except OSError as error:
            raise NoRunError(
                f"{words[0]}: {error.strerror}; name what starts ranks with --launcher"
            ) from error


def _judged(run: Run, words: Sequence[str], status: int, output: bytes, errors: str) -> dict[str, Any]:
    last = _said(errors)
    if status == _TOO_LARGE:
        return _kept(run, "too large", why=last)
    try:
        figures = json.loads(output)
    except ValueError:
        figures = None
    if isinstance(figures, dict) and figures.get("right") is False:
        raise NoRunError(f"wrong data was read back by: {shlex.join(words)}: {last}")
    if status != 0 or not isinstance(figures, dict):
        raise NoRunError(f"this run ended with status {status}: {shlex.join(words)}: {last}")
    return _kept(run, "done", figures=figures)


def _said(errors: str) -> str:
    """What the ranks said, each thing once; without that the last lines, which are a launcher's."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("headrace")]
    return "; ".join(dict.fromkeys(own or lines[-4:])) or "it said nothing"


def _kept(run: Run, outcome: str, **what: Any) -> dict[str, Any]:
    names = {"key": run.key, "table": run.table.name, "case": run.case.name, "repetition": run.repetition}
    manner = {"full": run.manner.full, "options": list(run.manner.options)}
    return {**names, **manner, "ranks": run.table.ranks, "words": run.words, "outcome": outcome, **what}


def _end(process: subprocess.Popen[bytes], at_once: bool) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGKILL if at_once else signal.SIGTERM)
