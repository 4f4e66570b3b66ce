"""Device samples that other programs took: iostat and sadf of sysstat (JSON), and LDMS (CSV).

`read` gives them as the tables `samples` and `sample_gaps` of headrace.samples. docs/monitor.md says which
columns each source has; what it does not record is null, and what it rounds is approximate.
"""

from __future__ import annotations

import codecs
import hashlib
import os
from pathlib import Path

from headrace._errors import LogForeignError, LogTooLargeError, LogUnreadableError
from headrace.foreign_samples import ldms, sysstat
from headrace.foreign_samples.rows import Imported, Rows

__all__ = ["Imported", "kind_of", "parse", "read"]

_BEGIN = 1 << 16
_MOST_BYTES = 2 << 30  # of a file that is read at once
_PIECE = 1 << 20


def kind_of(begin: bytes | bytearray) -> str | None:
    """sysstat or ldms, by the first bytes of a file; None: something else."""
    begin = begin.removeprefix(codecs.BOM_UTF8)
    if sysstat.is_sysstat(begin):
        return "sysstat"
    return "ldms" if ldms.is_ldms(begin) else None


def parse(path: Path, content: bytes | bytearray) -> Imported:
    """The samples of a file's content; `path` is for messages.

    Thread-safe. LogForeignError: it is none of these formats, or has no devices. LogCorruptError: something
    in it cannot be right; the message says where.
    """
    rows = Rows(str(path))
    kind = kind_of(content[:_BEGIN])
    if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise LogForeignError(f"{path}: is UTF-16: iconv -f UTF-16 -t UTF-8 makes a file that can be read")
    if kind is None:
        raise LogForeignError(
            f"{path}: neither JSON of iostat or sadf nor CSV of LDMS with its line '#Time,…' in front"
            " (sysstat writes it by `iostat -o JSON -x -t 60`, and of sar's files by `sadf -j FILE -- -d`)"
        )
    text = content.decode("utf-8-sig", "replace")
    found = sysstat.take(text, rows) if kind == "sysstat" else ldms.take(text, rows)
    return rows.finish(found, hashlib.blake2b(content, digest_size=8).hexdigest())


def read(path: Path) -> Imported:
    """As `parse`, of a file. LogUnreadableError and LogTooLargeError: it cannot be read, or not at once."""
    try:
        return parse(path, _content(path))
    except OSError as error:
        raise LogUnreadableError(f"{path}: cannot be read: {error.strerror or error}") from error
    except MemoryError:
        raise LogTooLargeError(f"{path}: needs more memory than there is: split it") from None


def _content(path: Path) -> bytes | bytearray:
    """All of it; of another format the begin, which tells: devices have neither a size nor an end.

    OSError, LogTooLargeError.
    """
    with path.open("rb") as file:
        content = bytearray(file.read(_BEGIN))
        if kind_of(content) is None:
            return content
        size = os.fstat(file.fileno()).st_size
        while size <= _MOST_BYTES and (piece := file.read(_PIECE)):
            content += piece
            size = max(size, len(content))
    if size > _MOST_BYTES:
        raise LogTooLargeError(f"{path}: is greater than 2 GiB: split it")
    return content
