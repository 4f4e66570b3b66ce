"""Which calls of a trace were asked for."""

from __future__ import annotations

import os
from typing import Any, NamedTuple


class Calls(NamedTuple):
    """Patterns of `*` and `?`, of which one is enough; none asks for nothing (src/events/call_filter.h)."""

    files: list[bytes]
    functions: list[bytes]
    errors: bool  # only operations that failed

    @property
    def everything(self) -> bool:
        return not (self.files or self.functions or self.errors)

    def facts(self) -> dict[str, Any]:
        """For JSON."""
        texts = [[os.fsdecode(each) for each in patterns] for patterns in (self.files, self.functions)]
        return {"files": texts[0], "functions": texts[1], "errors": self.errors}


ALL = Calls([], [], False)
