"""Clusters that ranks found when their program ended, as logs that are damaged or hostile have them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import headrace
import pytest
from commands import headrace as run
from headrace.analysis.end_clusters import end_clusters, saved
from made_logs import LogMaker


def clustered(figures: list[float], first: int = 1, **job: str) -> LogMaker:
    """Two ranks in one cluster, the processes `first` and the next, and a function for each figure."""
    maker = LogMaker(**job)
    phase = maker.name("")
    for process, kept in ((first, 1), (first + 1, 0)):
        maker.process(process, instance=5, rank=process - first, ranks=2)
        maker.add("clusters", process=process, phase=phase, cluster=0, representative=0, kept=kept)
    for place, figure in enumerate(figures):
        maker.add(
            "cluster_stats",
            instance=5, phase=phase, cluster=0, ranks=2, representative=0,
            layer="posix", function=f"f{place}",
            mean_s=figure, variance_s2=figure, least_s=figure, most_s=figure,
        )  # fmt: skip
    return maker


@pytest.mark.parametrize(
    "fact", ["", "a b c", "1.5 2 3", "² ² ²", "5", "1 2 3 4", f"{'9' * 5000} 1 1", "-1 2 3"]
)
def test_facts_that_are_no_numbers_are_passed_over(tmp_path: Path, fact: str) -> None:
    path = clustered([1.0], **{"stood_for.1": fact, "stood_for.2": "1 20 300"}).write(tmp_path / "a.hr")
    with headrace.open(path) as log:
        assert saved(log) == {"ranks": 1, "records": 20, "bytes": 300}
    assert run("show", path).returncode == 0


def test_figures_that_are_no_numbers_are_not_known(tmp_path: Path) -> None:
    path = clustered([math.nan, math.inf, -math.inf, 1e308, 2.5, 1.5]).write(tmp_path / "a.hr")
    with headrace.open(path) as log:
        (whole,) = end_clusters(log)
    functions: list[dict[str, Any]] = whole["clusters"][0]["functions"]
    assert [(row["function"], row["mean_s"]) for row in functions] == [("f4", 2.5), ("f5", 1.5)]
    done = run("show", path, "--json")
    assert done.returncode == 0
    json.loads(done.stdout, parse_constant=pytest.fail)
    assert run("report", path, "-o", tmp_path / "a.html").returncode == 0


def test_a_merged_log_says_it_of_all(tmp_path: Path) -> None:
    logs = [
        clustered([1.0], first, **{f"stood_for.{first}": "1 20 300"}).write(tmp_path / f"{first}.hr")
        for first in (1, 3)
    ]
    command = Path(sys.executable).with_name("headrace")
    subprocess.run([command, "collect", *logs, "-o", tmp_path / "all.hr"], check=True)
    with headrace.open(tmp_path / "all.hr") as log:
        assert saved(log) == {"ranks": 2, "records": 40, "bytes": 600}
