"""A payload in the page that shows it: one HTML file without any reference to another one."""

from __future__ import annotations

import binascii
import html
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from headrace import _native
from headrace._errors import MissingPackageError, OutputError
from headrace.reports.payload import Buffer, Table, pieces

__all__ = ["MADE_HERE", "check", "document", "is_report", "write"]

TEMPLATE = Path(__file__).with_name("template.html")  # made of web/ by scripts/build

# What the template has exactly once each. Texts of a log reach the page inside the base64 and the title only.
MARKER = b'<script id="headrace-data" type="application/octet-stream"></script>'
TITLE = b"<title>Headrace</title>"

_GENERATOR = b'<meta name="generator" content="Headrace '
MADE_HERE = "<!-- made by Headrace -->"  # in Markdown, which may be replaced as well
_LEVEL = 5  # of compression; 6 takes three times as long for a thirtieth of the size
_PART = 3 << 18  # bytes made into base64 at a time: a multiple of 3, so that the parts join


def document(
    kind: str, title: str, facts: Mapping[str, Any], tables: Mapping[str, Table], template: Path | None = None
) -> Iterator[bytes]:
    """The whole page, in parts. Raises MissingPackageError when the template was not built."""
    page = _template(template or TEMPLATE)
    head, _, tail = page.partition(MARKER)
    opening, closing = MARKER.split(b"><")
    named = b"<title>" + html.escape(title).encode("ascii", "xmlcharrefreplace") + b"</title>"
    yield head.replace(TITLE, named + _GENERATOR + _native.version.encode() + b'">')
    yield opening + b">"
    yield from _base64(_gzip(pieces(kind, facts, tables)))
    yield b"<" + closing
    yield tail


def _template(path: Path) -> bytes:
    try:
        page = path.read_bytes()
    except OSError as error:
        raise MissingPackageError(
            f"{path}: the page of reports is not there ({error.strerror}): "
            "run 'make build', which makes it of web/"
        ) from error
    for part in (MARKER, TITLE):
        if page.count(part) != 1:
            raise MissingPackageError(
                f"{path}: has {page.count(part)} times {part.decode()}, not once: run 'make build' again"
            )
    return page


def _gzip(parts: Iterable[Buffer]) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    for part in parts:
        yield packer.compress(part)
    yield packer.flush()


def _base64(parts: Iterable[bytes]) -> Iterator[bytes]:
    waiting = bytearray()
    for part in parts:
        waiting += part
        while len(waiting) >= _PART:
            yield binascii.b2a_base64(waiting[:_PART], newline=False)
            del waiting[:_PART]
    yield binascii.b2a_base64(waiting, newline=False)


def is_report(path: Path) -> bool:
    """Whether a file was written by `write`. OSError."""
    with path.open("rb") as file:
        begin = file.read(1 << 16)
    return _GENERATOR in begin or MADE_HERE.encode() in begin


def check(output: str, force: bool = False) -> None:
    """That `write` may write there, as far as can be known before. OutputError."""
    if output == "-":
        return
    path = Path(output)
    try:
        _may_replace(path, force)
        if not os.access(path.resolve().parent, os.W_OK | os.X_OK):
            raise OutputError(
                f"{path}: its directory is not there, or not for this user; -o FILE writes elsewhere"
            )
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def write(parts: Iterable[bytes], output: str, force: bool = False) -> int:
    """Writes a document and returns its bytes. `output`: "-" is standard output.

    A file is replaced when it is a report, any other one only with `force`; it is never there in part. Raises
    OutputError.
    """
    if output == "-":
        return _copy(parts, sys.stdout.buffer)
    path = Path(output)
    try:
        if _may_replace(path, force):
            return _replace(parts, path)
        with path.open("wb") as file:  # a device or a pipe
            return _copy(parts, file)
    except OSError as error:
        raise OutputError(
            f"{path}: cannot be written: {error.strerror or error}; -o FILE writes elsewhere"
        ) from error


def _may_replace(path: Path, force: bool) -> bool:
    """Whether the path is or becomes a file; else it can be written into. Raises OutputError."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return True
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path}: is a directory; name the file, for example {path / 'report.html'}")
    if not stat.S_ISREG(mode):
        return False
    if not force and path.stat().st_size > 0 and not is_report(path):
        raise OutputError(f"{path}: exists and is no report; --force replaces it, -o FILE writes elsewhere")
    return True


def _replace(parts: Iterable[bytes], path: Path) -> int:
    """Under another name first. A link keeps pointing to the file, which is the one replaced."""
    path = path.resolve()
    number, partial = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".partial", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            os.fchmod(number, 0o666 & ~_umask())
            size = _copy(parts, file)
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
    return size


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _copy(parts: Iterable[bytes], file: Any) -> int:
    return sum(file.write(part) for part in parts)
