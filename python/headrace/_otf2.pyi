"""The native module that alone needs the OTF2 library, and is there where Headrace was built with it."""

from collections.abc import Callable, Sequence
from typing import Any

def write(
    trace: bytes,
    job: int,
    directory: bytes,
    locations: Sequence[int],
    begin_at_ns: int,
    end_at_ns: int,
    told: Callable[[int], None] | None,
) -> dict[str, Any]:
    """Writes a trace as an archive in a new directory; `told(events)` is called now and then.

    {events, records, damaged_chunks, and what was changed or left out: src/convert/trace/export.h}.
    """

def read(anchor: bytes, output: bytes, told: Callable[[int], None] | None) -> dict[str, Any]:
    """Reads an archive into a trace: {locations, events, records, untold} (src/convert/otf2/read.h).

    A file at `output` is replaced.
    """
