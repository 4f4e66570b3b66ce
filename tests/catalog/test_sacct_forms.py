"""sacct's other outputs: --delimiter, columns of fixed width, and --json."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from headrace import catalog
from headrace.catalog.add import add
from hypothesis import given, settings
from hypothesis import strategies as some
from test_scheduler_records import added, by_job

BEGIN, END = (
    datetime(2026, 11, 24, 10, 1, tzinfo=timezone.utc),
    datetime(2026, 11, 24, 10, 11, tzinfo=timezone.utc),
)
TABLE = [
    ["JobIDRaw", "User", "Account", "JobName", "Start", "End", "State", "NNodes", "AllocCPUS"],
    ["600", "ann", "sky", "a | b", "2026-11-24T10:01:00", "2026-11-24T10:11:00", "COMPLETED", "2", "64"],
    ["600.batch", "", "sky", "batch", "2026-11-24T10:01:00", "2026-11-24T10:11:00", "COMPLETED", "2", "64"],
    ["601", "bob", "sea", "c", "2026-11-24T10:01:00", "2026-11-24T10:11:00", "CANCELLED by 7", "1", "32"],
]


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def _right(found: list[dict[str, Any]]) -> None:
    jobs = by_job(found)
    assert set(jobs) == {"600", "601"}
    one, other = jobs["600"], jobs["601"]
    assert (one["user"], one["account"], one["name"], one["nodes"], one["cores"]) == (
        "ann",
        "sky",
        "a | b",
        2,
        64,
    )
    assert (one["start"], one["end"], one["state"]) == (BEGIN, END, "completed")
    assert (other["state"], other["scheduler"]) == ("cancelled", "slurm")


@pytest.mark.parametrize("mark", [",", ";", "\t", "^", "~"])
@pytest.mark.parametrize("name", ["jobs.txt", "jobs.csv"])
def test_another_mark_between_columns(tmp_path: Path, mark: str, name: str) -> None:
    found, bad = added(tmp_path, name, "".join(mark.join(row) + "\n" for row in TABLE))
    assert bad == []
    _right(found)


def _fixed(width: int) -> str:
    def cut(value: str) -> str:
        return (value if len(value) <= width else value[: width - 1] + "+").rjust(width)

    rows = [TABLE[0], ["-" * width] * len(TABLE[0]), *TABLE[1:]]
    return "".join(" ".join(map(cut, row)) + " \n" for row in rows)


def test_columns_of_fixed_width(tmp_path: Path) -> None:
    found, bad = added(tmp_path, "jobs.txt", _fixed(20))
    assert bad == []
    _right(found)


def test_what_was_cut_is_not_known(tmp_path: Path) -> None:
    TABLE[1][2], before = "a_very_long_account_name", TABLE[1][2]
    try:
        found, bad = added(tmp_path, "jobs.txt", _fixed(20))
    finally:
        TABLE[1][2] = before
    assert bad == []
    assert by_job(found)["600"]["account"] is None
    assert by_job(found)["601"]["account"] == "sea"


def _json(new: bool) -> dict[str, Any]:
    def number(value: int) -> Any:
        return {"set": True, "infinite": False, "number": value} if new else value

    def job(
        name: int, user: str, state: str, nodes: int, cores: int, title: str, account: str
    ) -> dict[str, Any]:
        return {
            "job_id": name, "user": user, "account": account, "name": title, "partition": "p",
            "allocation_nodes": nodes, "state": {"current": [state] if new else state, "reason": "None"},
            "time": {"start": number(1795514460), "end": number(1795515060), "elapsed": number(600)},
            "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": cores}]},
            "exit_code": {"status": ["SUCCESS"], "return_code": number(0)}, "steps": [{"name": "batch"}],
        }  # fmt: skip

    pending = job(602, "ann", "PENDING", 0, 0, "d", "sky") | {"time": {"start": 0, "end": 0}}
    jobs = [
        job(600, "ann", "COMPLETED", 2, 64, "a | b", "sky"),
        job(601, "bob", "CANCELLED", 1, 32, "c", "sea"),
        pending,
    ]
    return {
        "meta": {"plugins": {"data_parser": "data_parser/v0.0.40"}, "Slurm": {"release": "23.11"}},
        "jobs": jobs,
    }


@pytest.mark.parametrize("new", [True, False])
def test_json(tmp_path: Path, new: bool) -> None:
    found, bad = added(tmp_path, "jobs.json", json.dumps(_json(new), indent=1))
    assert bad == []
    _right(found)
    assert by_job(found)["600"]["exit_status"] == 0


def test_json_that_is_cut_is_told(tmp_path: Path) -> None:
    found, (told,) = added(tmp_path, "jobs.json", json.dumps(_json(True))[:-40])
    assert found == [] and "jobs.json" in told and "cut" in told


_ANY = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(
    values=some.dictionaries(some.sampled_from(list(_json(True)["jobs"][0])), _ANY, min_size=1, max_size=4)
)
def test_json_of_any_kind_is_read_or_left_out(
    values: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    facts = _json(True)
    facts["jobs"][0] |= values
    path = tmp_path_factory.mktemp("json") / "jobs.json"
    path.write_text(json.dumps(facts))
    report = add(path.parent / "c", [path])
    found = {row["job"] for row in catalog.open(path.parent / "c").table("scheduler_jobs").to_pylist()}
    assert "601" in found
    assert all("job 1" in why for _, why in report.bad)
