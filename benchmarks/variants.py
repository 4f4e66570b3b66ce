"""The variants of a run (bare, under the library, under a peer) and how one program is run under each."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

BARE = "bare"
HEADRACE = "headrace"
HEADRACE_RUN = "headrace run"
TIMEOUT_S = 300


class RunError(Exception):
    """A measured program failed or said something: its figures would be worth nothing."""


@dataclass(frozen=True)
class Variant:
    """``settings`` are added to the program's environment; ``{scratch}`` in a value is an empty directory.

    ``prefix`` is a command that starts the program, such as ``headrace run --``.
    """

    name: str
    library: Path | None = None
    prefix: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)

    def environment(self, scratch: Path) -> dict[str, str]:
        values = {key: value.replace("{scratch}", str(scratch)) for key, value in self.settings.items()}
        if self.library is not None:
            values["LD_PRELOAD"] = str(self.library)
        return values


def setting(text: str) -> tuple[str, str]:
    """Splits K=V as given on the command line."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ValueError(f"{text!r}: give NAME=VALUE")
    return key, value


def clean_environment() -> dict[str, str]:
    """The caller's environment without what would make a bare run other than bare."""
    return {k: v for k, v in os.environ.items() if k != "LD_PRELOAD" and not k.startswith("HEADRACE")}


@dataclass(frozen=True)
class Place:
    """Where the programs are and where they work; ``base`` is on the measured file system, usually tmpfs."""

    programs: Path
    base: Path

    def fresh(self, name: str) -> Path:
        """An empty directory: what one run leaves must not change the next."""
        path = self.base / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def files(self) -> Path:
        return self.fresh("files")

    def scratch(self) -> Path:
        return self.fresh("scratch")


def run(command: list[str], extra: dict[str, str], directory: Path) -> str:
    """Runs one command to its end and returns what it printed on standard output."""
    environment = clean_environment() | extra
    try:
        done = subprocess.run(
            command, env=environment, cwd=directory, capture_output=True, text=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise RunError(f"{command[0]}: still running after {TIMEOUT_S} s") from None
    except OSError as error:
        raise RunError(f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0 or "ERROR: ld.so" in done.stderr:
        setting_text = " ".join(f"{k}={v}" for k, v in extra.items())
        raise RunError(
            f"{setting_text} {' '.join(command)}: ended with status {done.returncode}\n{done.stderr.rstrip()}"
        )
    return done.stdout
