"""`sacct -P`, Slurm's accounting: columns that are separated by "|" and named in the first line.

sacct_forms.py makes such lines of its other tables, sacct_json.py reads `sacct --json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from headrace._errors import CatalogError
from headrace.catalog import sacct_forms
from headrace.catalog.schedulers import LeftOut, Row, kept, whole_lines

__all__ = ["hint", "is_sacct", "jobs"]

_COLUMNS = {
    "job": ("JobIDRaw", "JobID"), "user": ("User",), "account": ("Account",), "queue": ("Partition",),
    "name": ("JobName",), "submit": ("Submit",), "start": ("Start",), "end": ("End",), "state": ("State",),
    "nodes": ("NNodes", "AllocNodes"), "cores": ("AllocCPUS", "NCPUS"), "processes": ("NTasks",),
    "command": ("SubmitLine",),
}  # fmt: skip
# What users and administrators write, and may have a "|" in.
_FREE_TEXT = (
    "AdminComment", "Comment", "Constraints", "Container", "Extra", "JobName", "Licenses", "Reason", "StdErr",
    "StdIn", "StdOut", "SubmitLine", "SystemComment", "WCKey", "WorkDir",
)  # fmt: skip

_ID = re.compile(r"[0-9]+([_.+].*)?")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T.*|[0-9]+|None|Unknown|")
_LONGEST = 1 << 20  # characters of a record


def is_sacct(first_line: str, second_line: str = "") -> bool:
    names = _bare(first_line.strip()).split("|")
    return sacct_forms.names_jobs(names) or sacct_forms.is_table(first_line, second_line)


def _bare(line: str) -> str:
    """Without the quotes that other programs put around columns."""
    return "|".join(
        each[1:-1] if len(each) > 1 and each[0] == each[-1] == '"' else each for each in line.split("|")
    )


def hint(begin: str) -> str | None:
    """What to run where the text is sacct's, but not as `jobs` reads it; None: it is something else."""
    first, *more = begin.lstrip("\r\n").splitlines() or [""]
    if sacct_forms.names_jobs(first.strip().split(":")):
        return (
            "sacct's records with ':' between columns, which times have as well: run it without --delimiter"
        )
    if sacct_forms.names_jobs(first.split()) and not more:
        return "the first line of sacct's table alone: run it with -P"
    values = first.rstrip("\r").split("|")
    if (
        len(values) > 2
        and _ID.fullmatch(values[0])
        and any(re.match(r"\d{4}-\d\d-\d\dT", each) for each in values)
    ):
        return (
            "records like sacct's without a first line that names the columns: run it without -n (--noheader)"
        )
    if "|" in first and {"JobID", "JobIDRaw", "Start"} & set(values):
        return "sacct's records without 'Start' or without 'JobIDRaw': name both with --format"
    return None


def jobs(lines: Iterable[str], left_out: LeftOut) -> Iterator[Row]:
    lines, swap = sacct_forms.plain(lines)
    for row in _jobs(lines, left_out):
        yield {key: value.translate(swap) if isinstance(value, str) else value for key, value in row.items()}


def _jobs(lines: Iterable[str], left_out: LeftOut) -> Iterator[Row]:
    header: list[str] = []
    whole: Iterator[tuple[int, str]] = enumerate(whole_lines(lines, left_out), 1)
    for _, line in whole:
        if text := line.strip("\r\n"):
            header = _bare(text).split("|")
            if header != text.split("|"):
                whole = ((number, _bare(line.rstrip("\r\n"))) for number, line in whole)
            break
    for number, text in _records(whole, header):
        try:
            row = _job(text.split("|"), header, f"line {number}")
        except CatalogError as error:
            left_out.add(str(error))
            continue
        if row is not None:
            yield row


def _records(lines: Iterable[tuple[int, str]], header: list[str]) -> Iterator[tuple[int, str]]:
    """Records and the numbers of their first lines: `sacct` does not escape a line break in a free text.

    What lacks columns, or ends in a free text, goes on in lines that do not begin like a record.
    """
    free, bars = [name in _FREE_TEXT for name in header], len(header) - 1
    begun: tuple[int, str] | None = None
    for number, line in lines:
        text = line.rstrip("\r\n")
        open_end = begun is not None and (
            free[-1] or begun[1].count("|") < bars or 0 < text.count("|") != bars
        )
        if (
            begun is not None
            and any(free)
            and open_end
            and not _begins(text, header)
            and len(begun[1]) < _LONGEST
        ):
            begun = begun[0], f"{begun[1]}\n{text}"
            continue
        if begun is not None:
            yield begun
        begun = (number, text) if text.strip() else None
    if begun is not None:
        yield begun[0], begun[1].rstrip("\n")


def _begins(line: str, header: list[str]) -> bool:
    """Whether the line has an id and a time where those of a record stand."""
    values = line.split("|")
    places = [
        header.index(name) for name in ("JobIDRaw", "JobID", "Start", "End", "Submit") if name in header
    ]
    free = next((at for at, name in enumerate(header) if name in _FREE_TEXT), len(header))
    told = [at for at in places if at < min(free, len(values))]
    forms = (_ID if header[at].startswith("Job") else _TIME for at in told)
    return bool(told) and all(form.fullmatch(values[at]) for form, at in zip(forms, told, strict=True))


def _job(values: list[str], header: list[str], place: str) -> Row | None:
    facts = dict(zip(header, _fitted(values, header, place), strict=True))
    if "." in facts.get("JobID", facts.get("JobIDRaw", "")):
        return None  # a step of a job
    row: Row = {
        name: next((facts[key] for key in keys if facts.get(key)), None) for name, keys in _COLUMNS.items()
    }
    state = ((row["state"] or "").split() or ["unknown"])[0].lower()
    row |= {"scheduler": "slurm", "state": state, "exit_status": _status(facts.get("ExitCode", ""))}
    return kept(row, place, facts.get("ElapsedRaw"))


def _fitted(values: list[str], header: list[str], place: str) -> list[str]:
    """As many values as the header has names; `sacct` does not escape a "|" inside of a name."""
    more = len(values) - len(header)
    free = [header.index(name) for name in _FREE_TEXT if name in header]
    if more < 0 or (more > 0 and len(free) != 1):
        raise CatalogError(f"{place}: has {len(values)} columns, and the first line has {len(header)}")
    if more == 0:
        return values
    begin, end = free[0], free[0] + more + 1
    return [*values[:begin], "|".join(values[begin:end]), *values[end:]]


def _status(text: str) -> int | None:
    """Of "STATUS:SIGNAL", as a shell gives it."""
    status, _, signal = text.partition(":")
    if not re.fullmatch(r"[0-9]{1,9}", status):
        return None
    return 128 + int(signal) if re.fullmatch(r"[0-9]{1,9}", signal) and int(signal) else int(status)
