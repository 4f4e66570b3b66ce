"""Everything Headrace raises, and the exit status each ends a command with.

    HeadraceError
    ├── UsageError               the request makes no sense                        exit 2
    ├── LogError                 a job log cannot be used                          exit 3
    │   ├── LogNotFoundError     there is no such file, or no such table in it
    │   ├── LogForeignError      the file is something else
    │   ├── LogTruncatedError    the file ends before anything can be read
    │   ├── LogCorruptError      nothing in the file passes its checks
    │   ├── LogUnsupportedError  a newer version wrote it
    │   ├── LogUnreadableError   the operating system refused to open or read it
    │   └── LogTooLargeError     it needs more memory than the reader may take
    ├── CatalogError             a catalog, or a part of it, cannot be used        exit 3
    ├── OutputError              a result cannot be written                        exit 4
    ├── MissingPackageError      an optional package is not installed              exit 5
    ├── ForwardError             forwarding servers cannot be reached
    └── LostDataError            what was written to them is not stored; it has an errno

A message is a whole sentence for the reader of a terminal: the file, the place in it, and what to do next.
A log of which a part can be used raises nothing: `JobLog.damage` says what is missing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import takes longer than this file's
if TYPE_CHECKING:
    from collections.abc import Sequence


class HeadraceError(Exception):
    """Base of all; ends a command with exit status 1 when nothing more is known."""

    exit_status = 1


class UsageError(HeadraceError):
    exit_status = 2


class LogError(HeadraceError):
    exit_status = 3


class LogNotFoundError(LogError):
    pass


class LogForeignError(LogError):
    pass


class LogTruncatedError(LogError):
    pass


class LogCorruptError(LogError):
    pass


class LogUnsupportedError(LogError):
    pass


class LogUnreadableError(LogError):
    pass


class LogTooLargeError(LogError):
    pass


class CatalogError(HeadraceError):
    exit_status = 3


class OutputError(HeadraceError):
    exit_status = 4


class MissingPackageError(HeadraceError):
    exit_status = 5


class MissingPackageWarning(UserWarning):
    """A result says less than it could, since a package is not installed. No error."""


class ForwardError(HeadraceError):
    pass


class LostDataError(HeadraceError, OSError):
    """`ranges`: which parts of the file, each with its error number."""

    def __init__(self, error: int, message: str, ranges: Sequence[tuple[int, int, int]]):
        super().__init__(error, message)
        self.errno, self.strerror = error, message
        self.ranges = ranges


_BY_CODE: dict[str, type[HeadraceError]] = {
    "not found": LogNotFoundError,
    "foreign": LogForeignError,
    "truncated": LogTruncatedError,
    "corrupt": LogCorruptError,
    "unsupported": LogUnsupportedError,
    "i/o error": LogUnreadableError,
    "limit": LogTooLargeError,
    "no space": OutputError,
    "invalid": UsageError,
}


def from_native(code: str, message: str) -> HeadraceError:
    """The exception for a failure of the native module; `code` is one of src/base/result.h."""
    return _BY_CODE.get(code, HeadraceError)(message)
