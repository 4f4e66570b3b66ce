"""A study's figures as Vega-Lite 5 and Parquet, for other tools (docs/study.md).

A directory has for each figure ID.vl.json, with its data inside so that it can be shown anywhere, and
ID.parquet, whose columns have their title and unit as metadata; index.json lists them. A study that is
compared with another has the other one's in the directory `compared`.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from headrace._errors import OutputError
from headrace._outputs import any_file, make_directory, new_file
from headrace.study.figure import Figure, Study
from headrace.study.vega_spec import spec

__all__ = ["FORMAT", "write"]

FORMAT = 1  # of index.json
_ID = re.compile(r"[a-z0-9_]+")


def write(study: Study, directory: str | os.PathLike[str]) -> list[Path]:
    """Writes the files and returns their paths. Raises OutputError; ValueError: an id is no name."""
    place = Path(directory)
    make_directory(place)
    try:
        written = [path for figure in study.figures() for path in _figure(figure, place)]
        index = place / "index.json"
        _replace(index, json.dumps(_index(study), indent=1, ensure_ascii=False).encode("utf-8"))
    except OSError as error:
        raise OutputError(
            f"{error.filename or place}: cannot be written: {error.strerror or error}; name another directory"
        ) from error
    others = write(study.compared, place / "compared") if study.compared else []
    return [*written, index, *others]


def _figure(figure: Figure, place: Path) -> list[Path]:
    if not _ID.fullmatch(figure.id):
        raise ValueError(f"figure {figure.id!r}: an id has a-z, 0-9 and '_' only")
    if not figure.data.num_columns:
        return []
    import pyarrow.parquet

    drawing, data = place / f"{figure.id}.vl.json", place / f"{figure.id}.parquet"
    text = json.dumps(spec(figure), ensure_ascii=False, allow_nan=False)
    _replace(drawing, text.encode("utf-8"))
    with new_file(data, any_file) as partial:
        pyarrow.parquet.write_table(_described(figure), partial)
    return [drawing, data]


def _described(figure: Figure) -> Any:
    """The data; its fields say what they are called and in which unit they are."""
    import pyarrow

    fields = [
        field.with_metadata(
            {"title": figure.titles.get(field.name, field.name), "unit": figure.units.get(field.name, "")}
        )
        for field in figure.data.schema
    ]
    about = {"title": figure.title, "definition": figure.definition, "filter": figure.filter}
    return figure.data.cast(pyarrow.schema(fields)).replace_schema_metadata(about)


def _index(study: Study) -> dict[str, Any]:
    def entry(section: str, figure: Figure) -> dict[str, Any]:
        has_data = bool(figure.data.num_columns)
        told = {
            key: getattr(figure, key)
            for key in ("id", "title", "kind", "paper", "definition", "filter", "words", "missing")
        }
        files = {"spec": f"{figure.id}.vl.json", "data": f"{figure.id}.parquet"} if has_data else {}
        return {**told, "section": section, "rows": figure.data.num_rows, **files}

    return {
        "format": FORMAT,
        "site": study.site,
        "start": study.start,
        "end": study.end,
        "side": study.side,
        "findings": [
            {key: getattr(each, key) for key in ("text", "figure", "side")} for each in study.findings
        ],
        "figures": [entry(section.id, figure) for section in study.sections for figure in section.figures],
        **({"compared": "compared/index.json"} if study.compared else {}),
    }


def _replace(path: Path, data: bytes) -> None:
    with new_file(path, any_file) as partial:
        partial.write_bytes(data)
