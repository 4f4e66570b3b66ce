"""Headrace: see, explain and fix the I/O of parallel programs.

    import headrace

    with headrace.open("run.hr") as log:
        print(log)
        print(log.files_by_path().select(["path", "bytes_written", "write_ns"]))

Importing this package loads no analysis package: pyarrow and pandas are loaded when a table is asked for.
"""

from __future__ import annotations

from headrace._errors import (
    HeadraceError,
    LogCorruptError,
    LogError,
    LogForeignError,
    LogNotFoundError,
    LogTooLargeError,
    LogTruncatedError,
    LogUnreadableError,
    LogUnsupportedError,
    MissingPackageError,
    OutputError,
    UsageError,
)
from headrace._native import version as __version__
from headrace.logs import Counter, Damage, Flag, JobLog, counters, flags, open

__all__ = [
    "Counter",
    "Damage",
    "Flag",
    "HeadraceError",
    "JobLog",
    "LogCorruptError",
    "LogError",
    "LogForeignError",
    "LogNotFoundError",
    "LogTooLargeError",
    "LogTruncatedError",
    "LogUnreadableError",
    "LogUnsupportedError",
    "MissingPackageError",
    "OutputError",
    "UsageError",
    "__version__",
    "counters",
    "flags",
    "open",
]
