"""A file that a catalog has rows of, and how it is known again."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Source", "as_text", "printed", "whole"]

_SURROGATES = re.compile("[\ud800-\udfff]")  # bytes that are no UTF-8, and halves of a pair that JSON wrote


def whole(path: Path) -> Path:
    """A path by which a file is known again, from whatever directory it is named."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (resolve() would follow links)


def printed(path: Path) -> str:
    """A path as a column of text has it: as UTF-8, other bytes as U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def as_text(text: str) -> str:
    """The same of any text that came from a file or a program."""
    return _SURROGATES.sub("\ufffd", text)


@dataclass(frozen=True)
class Source:
    """`id` is a hash of the content, by which it is known again wherever it lies (but see outdated.py)."""

    id: str
    path: str
    kind: str
    bytes: int
