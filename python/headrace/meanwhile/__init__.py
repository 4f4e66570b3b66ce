"""What else the file systems did while a job ran, from the catalog of a facility (docs/live.md).

`look` gives it as facts, which reports draw and `headrace show` says in words.
"""

from __future__ import annotations

from headrace.meanwhile.look import look
from headrace.meanwhile.names import Names

__all__ = ["Names", "look"]
