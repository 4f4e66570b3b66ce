"""The last file of a store of samples: a monitor has it open, or had when it was killed."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

OPEN, TAIL = ".open.hr", ".tail.hr"


def is_one(path: Path) -> bool:
    return path.name.endswith((OPEN, TAIL))


def is_written(path: Path) -> bool:
    """Whether a monitor has the file open, as far as it can be known: by the lock beside it, which it holds.

    A copy of a store has no lock. Where locks cannot be asked for (flock), one that is there counts as held.
    """
    try:
        handle = os.open(path.with_name("lock"), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # for a moment: a monitor may want to begin
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(handle)


def tail_of(path: Path) -> bytes:
    """What its samples since its last chunk are in; nothing for other files. Raises OSError."""
    if not path.name.endswith(OPEN):
        return b""
    try:
        return path.with_name(path.name.removesuffix(OPEN) + TAIL).read_bytes()
    except FileNotFoundError:
        return b""
