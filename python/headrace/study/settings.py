"""What a study counts, and what it calls people's things."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from headrace.study.words import moment
from headrace.text import size

__all__ = ["Pseudonyms", "Settings"]

NO_PROJECT = "no project"
NOT_SAID = "not said"
_PLAIN = ("", NO_PROJECT, NOT_SAID)  # words of ours, and nobody's names


class Pseudonyms:
    """Names in place of people's, the same wherever one object is used; numbered as they come."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, str]] = {}

    def of(self, kind: str, name: str) -> str:
        if name in _PLAIN:
            return name
        known = self._names.setdefault(kind, {})
        return known.setdefault(name, f"{kind} {len(known) + 1}")

    def project(self, name: str) -> str:
        return self.of("Project", name)

    def file_system(self, name: str) -> str:
        return self.of("file system", name)


@dataclass(frozen=True)
class Settings:
    min_processes: int = 1024  # of the jobs whose performance is judged: section V of the paper
    min_bytes: int = 500 << 20
    start: datetime | None = None  # jobs and samples that start then or later, UTC; None: from the first
    end: datetime | None = None  # and before then; None: to the last
    projects: tuple[str, ...] = ()  # names or labels; none: all
    without: str | None = (
        None  # the project that file sizes and growth tell apart; None: that with most files
    )
    top: int = 10  # projects that are shown one by one
    threshold: float = 0.05  # of the peak, below which the devices count as idle
    pseudonyms: Pseudonyms | None = field(default=None, compare=False)

    def large(self) -> str:
        """Which jobs are judged, in words."""
        return f"at least {self.min_processes:,} processes and {size(self.min_bytes)} moved"

    def period(self) -> str:
        """The period in words; empty: all."""
        begin = f"from {moment(self.start)} " if self.start else ""
        end = f"before {moment(self.end)}" if self.end else ""
        return (begin + end).strip()
