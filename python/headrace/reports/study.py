"""The page of `headrace study` (docs/study.md): a study's words as facts, and each figure's data as a table.

The form is docs/formats/report-payload.md, "A study".
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from headrace.reports import html
from headrace.reports.figure_data import column_kind, columns, plain
from headrace.reports.payload import Table
from headrace.study.figure import KINDS, TOLD, Figure, Section, Study

__all__ = ["check", "document", "payload", "write_html"]

Facts = dict[str, Any]


def write_html(study: Study, path: str | os.PathLike[str], force: bool = False) -> int:
    """Writes the page and returns its bytes; "-" is standard output. Raises OutputError, as reports.html."""
    return html.write(document(study), os.fspath(path), force)


def document(study: Study) -> Iterator[bytes]:
    """The page, in parts. Raises ValueError when the study is not one that a page can show."""
    facts, tables = payload(study)
    site = "".join(letter if letter.isprintable() else "\ufffd" for letter in study.site[:200])
    return html.document("study", f"Headrace: I/O of {site or 'a site'}", facts, tables)


def payload(study: Study) -> tuple[Facts, dict[str, Table]]:
    """Facts and tables of a study; those of one that it is compared with are named `compared.ID`."""
    check(study)
    tables = _tables(study, "")
    facts = _facts(study, "")
    if study.compared is not None:
        check(study.compared)
        tables |= _tables(study.compared, "compared.")
        facts["compared"] = _facts(study.compared, "compared.")
    return facts, tables


def check(study: Study) -> None:
    """ValueError: a figure names a column that it does not have, a kind that is none, or an id twice."""
    seen: set[str] = set()
    for figure in study.figures():
        if figure.id in seen:
            raise ValueError(f"figure {figure.id}: there are two of that id")
        seen.add(figure.id)
        if figure.kind not in KINDS:
            raise ValueError(f"figure {figure.id}: kind {figure.kind!r} is none of {', '.join(KINDS)}")
        for channel, column in figure.encoding.items():
            if figure.data.num_columns and column not in figure.data.column_names:
                raise ValueError(f"figure {figure.id}: {channel}: no column {column!r} in its data")


def _facts(study: Study, prefix: str) -> Facts:
    return {
        "site": study.site,
        "period": {"start": study.start, "end": study.end},
        "side": study.side,
        "headlines": [
            {key: getattr(headline, key) for key in ("label", "text", "below", "figure", "difference")}
            for headline in study.headlines
        ],
        "findings": [
            {"text": finding.text, "figure": finding.figure, "side": finding.side}
            for finding in sorted(study.findings, key=lambda each: -each.weight)
        ],
        "notes": list(study.notes),
        "sections": [_section(section, prefix) for section in study.sections],
    }


def _section(section: Section, prefix: str) -> Facts:
    return {
        "id": section.id,
        "title": section.title,
        "text": section.text,
        "figures": [_figure(figure, prefix) for figure in section.figures],
    }


def _figure(figure: Figure, prefix: str) -> Facts:
    return {
        **{key: plain(getattr(figure, key)) for key in TOLD},
        "columns": [
            {
                "name": field.name,
                "title": figure.titles.get(field.name, field.name.replace("_", " ")),
                "unit": figure.units.get(field.name, ""),
                "kind": column_kind(field.type),
                **({"empty": "not recorded"} if field.name in figure.not_recorded else {}),
            }
            for field in figure.data.schema
        ],
        "table": prefix + figure.id,
    }


def _tables(study: Study, prefix: str) -> dict[str, Table]:
    return {
        prefix + figure.id: Table(figure.data.num_rows, columns(figure.data)) for figure in study.figures()
    }
