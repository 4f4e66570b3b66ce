"""A payload in the page that shows it: one HTML file without any reference to another one."""

from __future__ import annotations

import binascii
import html
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from headrace import _native, _outputs
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
    if output != "-" and not _takes_bytes(output):
        _outputs.check(output, _refusal(force))


def write(parts: Iterable[bytes], output: str, force: bool = False) -> int:
    """Writes a document and returns its bytes. `output`: "-" is standard output.

    A file is replaced when it is a report, any other one only with `force`; it is never there in part. Raises
    OutputError.
    """
    if output == "-":
        return _copy(parts, sys.stdout.buffer)
    if _takes_bytes(output):
        try:
            with Path(output).open("wb") as file:
                return _copy(parts, file)
        except OSError as error:
            raise OutputError(f"{output}: cannot be written: {_outputs.reason_of(error)}") from error
    with _outputs.new_file(output, _refusal(force)) as partial, partial.open("wb") as file:
        return _copy(parts, file)


def _takes_bytes(output: str) -> bool:
    """Whether it is a device or a pipe."""
    try:
        mode = Path(output).stat().st_mode
    except OSError:  # which writing meets again
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _refusal(force: bool) -> _outputs.Refusal:
    def refusal(path: Path) -> str | None:
        if force or path.stat().st_size == 0 or is_report(path):
            return None
        return "exists and is no report; --force replaces it, -o FILE writes elsewhere"

    return refusal


def _copy(parts: Iterable[bytes], file: Any) -> int:
    return sum(file.write(part) for part in parts)
