"""The public names, reports and figures in Python, and the units of tables."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import headrace
import pytest
from headrace import HeadraceError, JobLog, OutputError, UsageError, figures
from headrace.reports import html
from made_logs import MIB, LogMaker, large, simulation
from report_reader import read_report, stand_in

DOCUMENT = Path(__file__).parents[2] / "docs/python.md"
PUBLIC = {
    "Clustering", "Counter", "Damage", "Flag", "HeadraceError", "JobLog", "LogCorruptError",
    "LogError", "LogForeignError", "LogNotFoundError", "LogTooLargeError", "LogTruncatedError",
    "LogUnreadableError", "LogUnsupportedError", "MissingPackageError",
    "MissingPackageWarning", "OutputError",
    "Overview", "RankCluster", "Report", "Trace", "UsageError", "__version__", "cluster",
    "cluster_phase", "counter", "counters", "figures", "flags", "open", "open_trace", "phase", "region",
    "report", "trace_pause", "trace_resume", "units",
}  # fmt: skip
FIGURES: dict[str, Callable[[JobLog], figures.Figure]] = {
    "bandwidth": figures.bandwidth,
    "operations": figures.operations,
    "sizes": figures.sizes,
    "time_by_layer": figures.time_by_layer,
    "files": figures.files,
}


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "TEMPLATE", stand_in(tmp_path))


def test_the_public_names_are_these() -> None:
    assert set(headrace.__all__) == PUBLIC
    for name in headrace.__all__:
        assert getattr(headrace, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = headrace.nonsense
    text = DOCUMENT.read_text(encoding="utf-8")
    for name in PUBLIC | set(figures.__all__):
        assert re.search(rf"`(headrace\.|figures\.)?{re.escape(name)}\b", text), (
            f"docs/python.md lacks {name}"
        )


def test_importing_is_light() -> None:
    code = (
        "import headrace, sys;"
        "print([m for m in ('ctypes', 'typing', 'headrace._native', 'headrace.logs',"
        "'pyarrow', 'pandas', 'numpy', 'click', 'rich', 'zlib', 'tempfile',"
        "'headrace.reports', 'headrace.figures', 'headrace.analysis') if m in sys.modules])"
    )
    command = [sys.executable, "-X", "frozen_modules=on", "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


class TestReport:
    def test_of_a_path_and_of_an_open_log(self, tmp_path: Path, page: None) -> None:
        log = simulation(tmp_path / "a.hr")
        saved = headrace.report(log, tmp_path / "a.html")
        assert read_report(tmp_path / "a.html")["facts"] == saved.facts
        with headrace.open(log) as opened:
            again = headrace.report(opened)
            assert opened.job["host"] == "node1", "the log stays open"
        assert again.facts == saved.facts
        again.save(tmp_path / "b.html")
        assert (tmp_path / "b.html").read_bytes() == (tmp_path / "a.html").read_bytes()
        assert again.html().encode() == (tmp_path / "a.html").read_bytes()

    def test_other_files_are_not_replaced(self, tmp_path: Path, page: None) -> None:
        log = simulation(tmp_path / "a.hr")
        (tmp_path / "mine.html").write_text("mine")
        with pytest.raises(OutputError):
            headrace.report(log, tmp_path / "mine.html")
        headrace.report(log, tmp_path / "mine.html", force=True)
        assert html.is_report(tmp_path / "mine.html")

    def test_in_a_notebook_it_is_in_a_frame_without_rights(self, tmp_path: Path, page: None) -> None:
        report = headrace.report(simulation(tmp_path / "a.hr"))
        shown = report._repr_html_()
        (source,) = re.findall(r'srcdoc="([^"]*)"', shown)
        assert 'sandbox="allow-scripts' in shown
        assert "allow-same-origin" not in shown
        assert "<" not in source
        import html as escaping

        assert read_report(escaping.unescape(source).encode())["facts"] == report.facts
        assert repr(report).endswith("7 files, 3 program images>")

    def test_an_unusable_log(self, tmp_path: Path) -> None:
        with pytest.raises(HeadraceError, match=r"none\.hr"):
            headrace.report(tmp_path / "none.hr")


class TestFigures:
    @pytest.mark.parametrize("name", FIGURES)
    def test_each_is_valid_and_holds_its_data(self, tmp_path: Path, name: str) -> None:
        altair = pytest.importorskip("altair")
        hostile = LogMaker()
        hostile.process(1)
        hostile.file(1, "/<script>'\"\n\u202e", reads=1, bytes_read=5, read_ns=7)
        empty = LogMaker()
        empty.job = {}
        logs = [simulation(tmp_path / "a.hr"), large(tmp_path / "b.hr", files=300)]
        logs += [hostile.write(tmp_path / "c.hr"), empty.write(tmp_path / "d.hr")]
        for path in logs:
            with headrace.open(path) as log:
                figure = FIGURES[name](log)
            assert isinstance(figure, dict)
            assert json.loads(json.dumps(figure)) == figure
            assert figure["data"]["values"], "drawn even when there is nothing to draw"
            short = {**figure, "data": {"values": figure["data"]["values"][:3]}}
            altair.Chart.from_dict(short)  # raises when it is not Vega-Lite
            assert "url" not in json.dumps(figure["data"])
            bundle = figure._repr_mimebundle_()
            assert bundle["application/vnd.vegalite.v5+json"] == figure

    def test_their_figures_are_those_of_the_log(self, tmp_path: Path) -> None:
        with headrace.open(simulation(tmp_path / "a.hr")) as log:
            read = [v for v in figures.bandwidth(log)["data"]["values"] if v["direction"] == "read"]
            assert sum(value["exact"] for value in read) == 8 * MIB
            assert max(value["rate"] for value in read) == pytest.approx(16)
            assert figures.bandwidth(log)["encoding"]["y"]["title"] == "MiB/s"
            (bar,) = [v for v in figures.sizes(log)["data"]["values"] if v["direction"] == "write"]
            assert (bar["size"], bar["operations"]) == ("≤ 512 B", 600)
            time = {value["part"]: value["time_ns"] for value in figures.time_by_layer(log)["data"]["values"]}
            assert time == {"read": 16_000_000, "write": 12_000_000, "metadata": 700_000}
            ranked = figures.files(log, "bytes", most=1)["data"]["values"]
            assert {value["file"] for value in ranked} == {"/scratch/in/mesh.h5"}
            assert sum(value["exact"] for value in ranked) == 8 * MIB
            with pytest.raises(UsageError, match="not by 'name'"):
                figures.files(log, "name")


def test_units_of_tables(tmp_path: Path) -> None:
    with headrace.open(simulation(tmp_path / "a.hr")) as log:
        found = headrace.units(log.files)
        assert (found["write_ns"], found["bytes_read"], found["reads"]) == ("ns", "bytes", "count")
        assert (found["first_open_at_ns"], "path" in found) == ("at_ns", False)
        frame = log.pandas("files")
        assert frame.attrs["units"] == found
        assert frame[frame.write_ns > 0].attrs["units"] == found, "kept by what is made of it"
        merged = headrace.units(log.files_by_path())
        assert (merged["processes"], merged["metadata_calls"], merged["read_ns"]) == ("count", "count", "ns")
        assert headrace.units(log.series)["width_ns"] == "ns"
        counted = {row.name: row.unit for row in headrace.counters()}
        assert {name: found[name] for name in counted} == counted
