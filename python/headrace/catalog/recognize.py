"""What a file is, by its content."""

from __future__ import annotations

import codecs
from pathlib import Path

from headrace import foreign_samples, scans
from headrace._errors import CatalogError
from headrace.catalog import accounting, job_csv, open_samples, sacct, sacct_json, sample_files

__all__ = ["NothingOursError", "hint", "kind_of"]

_BEGIN = 1 << 16
_CHUNKS = b"\x89HRC\r\n\x1a"
_SCANS = (b"scan",)  # how names of the first table of files begin that are no job logs
_SAMPLES = (b"monitor", b"sample", b"server_jobs")
_STATES = (".part", ".part.rows")


class NothingOursError(CatalogError):
    """A file that is none of a catalog's, which is no mistake where it lies in a tree."""


def kind_of(path: Path) -> str | None:
    """job log, scan, samples, sacct, sacct json, accounting, csv, sample csv, parquet, toml, sysstat, ldms or
    fsstats.

    None: something else.

    Raises OSError, and CatalogError for a file that will be another one.
    """
    with path.open("rb") as file:
        begin = file.read(_BEGIN)
    if open_samples.is_one(path) and (begin.startswith(_CHUNKS) or not begin):
        return _kind_of_open(path)
    if begin.startswith(_CHUNKS):
        return _kind_of_chunks(path, begin[16:32])
    if begin[1:2] == b"." and begin[:8].rstrip(b"\0")[2:].isdigit() and b"\0" in begin[:8]:
        return "job log"
    if begin.startswith(b"PAR1"):
        return "parquet"
    if foreign := foreign_samples.kind_of(begin):
        return foreign
    if scans.is_fsstats(begin):
        return "fsstats"
    if sacct_json.is_one(begin):
        return "sacct json"
    lines = begin.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n").split(b"\n", 2)
    line, second = (each.decode("utf-8", "replace") for each in (*lines, b"")[:2])
    if sacct.is_sacct(line, second):
        return "sacct"
    if accounting.is_accounting(line):
        return "accounting"
    if sample_files.table_of_csv(line):
        return "sample csv"
    if path.suffix in (".toml", ".csv"):
        return path.suffix[1:]
    return None


def hint(path: Path) -> str | None:
    """What to do with a file of which `kind_of` knows nothing, where that can be told. Raises OSError."""
    with path.open("rb") as file:
        begin = file.read(_BEGIN).decode("utf-8-sig", "replace")
    if begin.startswith(("\ufffd\ufffd", "\x00")) or "\x00" in begin[1:4]:
        return "text in UTF-16 or the like: iconv -f UTF-16 -t UTF-8 makes a file that can be read"
    return sacct.hint(begin) or job_csv.hint(begin)


def _kind_of_chunks(path: Path, first_table: bytes) -> str:
    if path.name.endswith(_STATES):
        raise NothingOursError(
            f"{path}: the state of a scan that has not ended: finish it with `headrace scan`"
        )
    if first_table.startswith(_SCANS):
        return "scan"
    return "samples" if first_table.startswith(_SAMPLES) else "job log"


def _kind_of_open(path: Path) -> str:
    if path.name.endswith(open_samples.TAIL):
        raise NothingOursError(f"{path}: is a part of the file beside it, and read with that")
    if open_samples.is_written(path):
        raise NothingOursError(
            f"{path}: a monitor writes it: it can be added when it is finished, after midnight UTC"
        )
    return "samples"
