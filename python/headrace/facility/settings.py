"""How large a made-up facility is."""

from __future__ import annotations

from dataclasses import dataclass

from headrace._errors import UsageError

__all__ = ["Settings"]

_LEAST, _MOST = 100, 1_000_000  # jobs


@dataclass(frozen=True)
class Settings:
    """`shrink` divides nodes and processes; `files` bounds how many files a rank has in a group."""

    jobs: int
    seed: int
    shrink: int = 1
    files: int = 2

    def check(self) -> None:
        for name, value, least, most in (
            ("--jobs", self.jobs, _LEAST, _MOST),
            ("--seed", self.seed, 0, 2**63 - 1),
            ("--files-per-process", self.files, 1, 1000),
        ):
            if not least <= value <= most:
                raise UsageError(f"{name} {value}: give {least:,} to {most:,}")
        if self.shrink not in (1, 2, 4, 8, 16, 32, 64, 128):
            raise UsageError(f"--shrink {self.shrink}: give a power of two, up to 128")
