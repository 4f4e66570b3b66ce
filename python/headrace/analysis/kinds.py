"""Which records of a log are files, and which of them add up."""

from __future__ import annotations

from headrace import _native
from headrace.logs import LIBRARY_LAYERS, SYSTEM_LAYERS, JobLog

__all__ = ["FILE_KINDS", "LAYER_KINDS", "LIBRARY_LAYERS", "SYSTEM_LAYERS", "merge_files"]

# Time in pipes and sockets is mostly waiting for somebody else; excluded paths are counted in one sum.
FILE_KINDS = ["file", "directory_rollup", "directory"]

# Files and what lies in them.
LAYER_KINDS = [*FILE_KINDS, "dataset"]


def merge_files(
    log: JobLog, by: str, chosen: list[int], layers: list[str] | tuple[str, ...] = SYSTEM_LAYERS
) -> _native.Frame:
    """Records of files merged; of the layers that add up unless others are named."""
    return log.native.merge(by, chosen, FILE_KINDS, list(layers))
