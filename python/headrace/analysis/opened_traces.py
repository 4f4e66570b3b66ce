"""An opened trace: what all that looks at traces is built on."""

from __future__ import annotations

import os
from typing import Any

from headrace import _native
from headrace._errors import UsageError
from headrace.logs import refuse_pipes

Facts = dict[str, Any]


class OpenedTrace:
    """Headers and names, read once. `path`, `native`, `facts` and `locations` are those of traces.Trace."""

    def __init__(self, path: str | os.PathLike[str], job: int | None = None) -> None:
        self.path = os.fspath(path)
        if job is not None and job < 1:
            raise UsageError(f"{self.path}: jobs in a file are numbered from 1, not {job}")
        refuse_pipes(self.path)
        self.native = _native.Trace(os.fsencode(self.path), job or 0)
        self.facts: dict[str, str] = self.native.facts()
        self.locations: list[Facts] = self.native.locations().rows()
