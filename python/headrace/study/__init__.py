"""The study of a facility that writes itself: figures, findings and one page, from a catalog."""

from __future__ import annotations

from headrace.study.build import build
from headrace.study.figure import Figure, Finding, Section, Study
from headrace.study.settings import Pseudonyms, Settings

__all__ = ["Figure", "Finding", "Pseudonyms", "Section", "Settings", "Study", "build"]
