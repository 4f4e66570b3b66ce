"""A file that a catalog has rows of, and how it is known again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Source", "printed", "whole"]


def whole(path: Path) -> Path:
    """A path by which a file is known again, from whatever directory it is named."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (resolve() would follow links)


def printed(path: Path) -> str:
    """A path as a column of text has it: as UTF-8, other bytes as U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


@dataclass(frozen=True)
class Source:
    """`id` is a hash of the content, by which it is known again wherever it lies."""

    id: str
    path: str
    kind: str
    bytes: int
