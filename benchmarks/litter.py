"""Finds what a run left in shared memory."""

from __future__ import annotations

from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")


def entries(root: Path = SHARED_MEMORY) -> set[Path]:
    """Every file below ``root``; what vanishes or may not be read while looking is no litter of ours."""
    found = set()
    try:
        for path in root.rglob("*"):
            if not path.is_dir() or path.is_symlink():
                found.add(path)
    except OSError:
        pass
    return found


def appeared(before: set[Path], after: set[Path], own: Path) -> set[Path]:
    """New files of Headrace's, but for those in the benchmark's ``own`` directory."""
    return {p for p in after - before if "headrace" in str(p).lower() and own not in p.parents}
