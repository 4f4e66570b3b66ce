"""Files in place of the kernel's, and logs of jobs that never were."""

from __future__ import annotations

import sys
import zlib
from datetime import datetime
from pathlib import Path

from headrace import _native
from headrace.facility.groups import NUMBERS

HEADRACE = Path(sys.executable).parent / "headrace"


def make_root(root: Path) -> Path:
    """A tree as the kernel of a Lustre server and client has it, with a disk."""
    files = {
        "proc/diskstats": "   8       0 sda 3 0 24 3 5 0 40 7 0 9 11 0 0 0 0 0 0\n",
        "proc/fs/lustre/obdfilter/scratch-OST0000/stats": "snapshot_time 1.5 secs.usecs\n"
        "read_bytes 2 samples [bytes] 1 9 10\nwrite_bytes 3 samples [bytes] 1 9 20\n",
        "sys/kernel/debug/lustre/mdt/scratch-MDT0000/md_stats": "open 4 samples [reqs]\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def make_log(
    path: Path,
    start: datetime,
    seconds: float,
    written: int = 0,
    job: str = "",
    mount: str = "/lus",
    **facts: str,
) -> Path:
    """The log of one rank that wrote `written` bytes to a file on `mount` in the first half of its time."""
    begin, length = round(start.timestamp() * 10**9), round(seconds * 10**9)
    known = {
        "format_version": "1",
        "headrace_version": _native.version,
        "command": '["/apps/own"]',
        "host": "n1",
    }
    known |= {
        "start_utc_ns": str(begin),
        "end_utc_ns": str(begin + length),
        "exit_status": "0",
        "complete": "yes",
    }
    known |= {"scheduler": "slurm", "scheduler_job": job} if job else {}
    numbers = dict.fromkeys(NUMBERS, 0) | {"width": 1, "sets": 1, "per_set": 1, "opens": 1}
    numbers |= {"writes": 1, "write_size": written, "write_end": written, "write_ns": length // 4}
    numbers |= {"first_open_at_ns": 1_000, "last_io_at_ns": length // 2}
    programs = [("/apps/own", [1, 1, 0, 0, length])]
    files = [(f"{mount}/{path.stem}", ["posix"], [numbers[name] for name in NUMBERS])]
    identity = zlib.crc32(str(path).encode()) + 1
    everything = list((known | facts).items())
    _native.write_made_log(str(path).encode(), identity, everything, programs, files, mount, "lustre")
    return path
