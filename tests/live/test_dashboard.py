"""The Grafana dashboard asks for what monitors and servers really say, which is strict OpenMetrics."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from live_tools import HEADRACE, make_root
from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict

SCRAPED = {"instance", "job"}  # labels of Prometheus itself
Board = dict[str, Any]


@pytest.fixture(scope="module")
def board() -> Board:
    """As an installation hands it out."""
    done = subprocess.run(
        [HEADRACE, "config", "--file", "headrace-grafana.json"], capture_output=True, text=True, check=True
    )
    found: Board = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def labels(monitor_text: str, server_text: str) -> dict[str, set[str]]:
    """The labels of each series."""
    found: dict[str, set[str]] = {}
    for text in (monitor_text, server_text):
        for family in strict(text):
            known = {label for sample in family.samples for label in sample.labels}
            for sample in family.samples:
                found.setdefault(sample.name, set()).update(known)
    return found


def panels(board: Board) -> list[Board]:
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def expressions(board: Board) -> list[tuple[str, str]]:
    """Each with its legend; those of variables have none."""
    asked = [
        (target["expr"], target["legendFormat"]) for panel in panels(board) for target in panel["targets"]
    ]
    variables = [each["definition"] for each in board["templating"]["list"] if each["type"] == "query"]
    return asked + [(text, "") for text in variables]


@pytest.mark.parametrize("which", ["monitor_text", "server_text"])
def test_the_texts_are_strict(which: str, request: pytest.FixtureRequest) -> None:
    families = list(strict(request.getfixturevalue(which)))
    assert len({family.name for family in families}) == len(families) > 10
    for family in families:
        assert family.documentation and family.type in ("counter", "gauge")
        series = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in family.samples]
        assert len(set(series)) == len(series)


def test_every_expression_names_what_is_said(board: Board, labels: dict[str, set[str]]) -> None:
    for expression, legend in expressions(board):
        names = re.findall(r"headrace_\w+", expression)
        assert names and set(names) <= set(labels), expression
        known = SCRAPED | set.intersection(*(labels[name] for name in names))
        for name, selector in re.findall(r"(headrace_\w+)\{([^}]*)\}", expression):
            assert set(re.findall(r"(\w+)\s*=~?", selector)) <= labels[name] | SCRAPED, expression
        made = set(re.findall(r'label_replace\(.*?, "(\w+)",', expression))
        source = set(re.findall(r'"\$1", "(\w+)"', expression))
        by = {
            each.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for each in group.split(",")
        }
        assert source <= known and by <= known | made, expression
        shown = set(re.findall(r"\{\{(\w+)\}\}", legend))
        assert shown <= (by or known | made), (expression, legend)


def test_every_counter_is_shown_as_a_rate(board: Board) -> None:
    for expression, _ in expressions(board):
        if expression.startswith("label_values"):
            continue
        for name in re.findall(r"(headrace_\w+_total)\{", expression):
            is_sum = name == "headrace_forward_lost_bytes_total"  # of which any at all is too much
            assert is_sum or re.search(
                rf"(rate|increase)\({name}\{{[^}}]*\}}\[\$__rate_interval\]\)", expression
            )


def test_the_file_is_one_that_grafana_takes(board: Board) -> None:
    assert board["schemaVersion"] >= 36 and board["uid"] and board["title"]
    assert "__inputs" not in board and "id" not in board
    numbers = [panel["id"] for panel in board["panels"]]
    assert len(set(numbers)) == len(numbers)
    places = {(x, y) for panel in board["panels"] for x, y in cells(panel)}
    assert len(places) == sum(len(cells(panel)) for panel in board["panels"]), "panels overlap"
    for panel in panels(board):
        references = [target["refId"] for target in panel["targets"]]
        assert len(set(references)) == len(references) >= 1
        assert panel["title"] and panel["fieldConfig"]["defaults"]["unit"]


def cells(panel: Board) -> list[tuple[int, int]]:
    place = panel["gridPos"]
    assert place["x"] + place["w"] <= 24
    columns, lines = range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
    return [(x, y) for x in columns for y in lines]


def test_no_data_source_is_wired_in(board: Board) -> None:
    text = json.dumps(board)
    sources = [each for each in board["templating"]["list"] if each["type"] == "datasource"]
    assert [each["name"] for each in sources] == ["datasource"] and sources[0]["query"] == "prometheus"
    assert set(re.findall(r'"uid": "([^"]+)"', text)) == {"headrace", "${datasource}"}
    for variable in board["templating"]["list"]:
        used = re.findall(r"\$\{?" + variable["name"] + r"\b", text)
        assert used, f"nothing uses ${variable['name']}"


def test_gaps_are_counted_from_the_start(monitor_text: str) -> None:
    """A rate does not see the first value of a series."""
    gaps = next(family for family in strict(monitor_text) if family.name == "headrace_monitor_gaps")
    reasons = {sample.labels["reason"] for sample in gaps.samples}
    assert reasons == {"restart", "reboot", "reset", "gone", "clock", "missed", "lost"}


def test_what_is_known_is_shown(board: Board, labels: dict[str, set[str]]) -> None:
    """What has no panel is left out on purpose."""
    asked = " ".join(expression for expression, _ in expressions(board))
    unseen = {name for name in labels if not re.search(rf"{name}\b", asked)}
    assert unseen == {
        "headrace_monitor_samples_total",
        "headrace_monitor_interval_seconds",
        *(f"headrace_forward_{name}" for name in (
            "connections_accepted_total", "repeated_calls_total", "expired_calls_total", "not_found_total",
            "shared_reads_total", "parked_total", "memory_most_bytes", "flush_writes_total",
            "waited_writes_total",
        )),
    }  # fmt: skip


def test_the_file_for_the_textfile_collector_is_strict(tmp_path: Path) -> None:
    metrics = tmp_path / "headrace.prom"
    words = [HEADRACE, "monitor", "--at", tmp_path / "store", "--root", make_root(tmp_path / "root")]
    process = subprocess.Popen([*words, "--interval", "0.2", "--openmetrics-file", metrics])
    try:
        text, until = "", time.monotonic() + 60
        while "# EOF" not in text:
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.05)
            text = metrics.read_text() if metrics.exists() else ""
        assert {family.name for family in strict(text)} >= {
            "headrace_device_reads",
            "headrace_monitor_storing",
        }
    finally:
        process.terminate()
        process.wait(30)
