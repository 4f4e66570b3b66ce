"""Vega-Lite and Parquet of a study: valid by the schema, with the figure's data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
import studies
from altair.vegalite.v5.schema.core import Root
from headrace._errors import OutputError
from headrace.study import vega
from headrace.study.figure import Section, Study


def load(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_every_kind_is_valid_and_has_its_data(tmp_path: Path) -> None:
    study = studies.typical()
    written = vega.write(study, tmp_path / "out")
    index = load(tmp_path / "out/index.json")
    assert [entry["id"] for entry in index["figures"]] == [figure.id for figure in study.figures()]
    assert set(written) == {path for path in (tmp_path / "out").iterdir() if path.is_file()}
    for figure, entry in zip(study.figures(), index["figures"], strict=True):
        if figure.missing:
            assert "spec" not in entry
            continue
        spec = load(tmp_path / "out" / entry["spec"])
        Root.validate(spec)
        assert figure.definition in spec["description"]
        rows = len(spec["data"]["values"])
        wide = figure.data.num_columns if figure.kind == "table" else 1
        assert rows == figure.data.num_rows * wide
        data = pyarrow.parquet.read_table(tmp_path / "out" / entry["data"])
        assert data.equals(figure.data)
        for name, unit in figure.units.items():
            assert data.schema.field(name).metadata[b"unit"].decode() == unit


def test_what_is_drawn(tmp_path: Path) -> None:
    vega.write(studies.typical(), tmp_path)
    points = load(tmp_path / "files_against_processes.vl.json")
    axes = points["layer"][0]["encoding"]
    assert axes["x"]["scale"] == axes["y"]["scale"] == {"type": "log"}
    assert [layer["mark"]["type"] for layer in points["layer"]] == ["point", "line", "text", "rule", "text"]
    bands = load(tmp_path / "throughput.vl.json")["layer"][0]["data"]["values"]
    assert {band["kind"] for band in bands} == {"maintenance", "lost"}
    assert load(tmp_path / "access_sizes.vl.json")["facet"]["field"] == "project"
    values = load(tmp_path / "throughput.vl.json")["data"]["values"]
    assert values[200]["rate"] is None
    assert values[0]["time"] == "2026-01-05T00:00:00Z"


def test_compared_studies_have_a_directory_each(tmp_path: Path) -> None:
    vega.write(studies.compared(), tmp_path)
    assert load(tmp_path / "index.json")["compared"] == "compared/index.json"
    assert load(tmp_path / "compared/index.json")["site"] == "Mira"


def test_trouble_names_the_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="name another directory"):
        vega.write(studies.typical(), tmp_path / "file")
    figure = studies.lines_figure()
    figure.id = "../up"
    with pytest.raises(ValueError, match="a-z, 0-9"):
        vega.write(Study("it", "", "", [Section("a", "A", "", [figure])]), tmp_path)
