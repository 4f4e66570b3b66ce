"""Merging file records in C++ against the plainest implementation of the rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import headrace
from headrace import _native
from headrace.logs import NOT_RECORDED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_logs import COUNTERS, LogMaker

RULES = {counter["name"]: (counter["merge"], counter.get("with")) for counter in _native.counters()}
Record = dict[str, Any]


def merge_reference(records: list[Record]) -> dict[str, int | None]:
    """Counter by counter, as the comment at the top of counters.def says."""
    merged: dict[str, Any] = {}
    for name, (rule, decider) in RULES.items():
        values = [record.get(name, 0) for record in records]
        if rule == "sum":
            merged[name] = sum(values) % (1 << 64)
        elif rule in ("max", "last"):
            merged[name] = max(values, default=0)
        elif rule == "first":
            merged[name] = min((value for value in values if value), default=0)
        elif rule == "bits":
            merged[name] = 0
            for value in values:
                merged[name] |= value
        else:
            deciding = [record.get(decider, 0) for record in records]
            greatest = max(deciding, default=0)
            chosen = [v for v, d in zip(values, deciding, strict=True) if d == greatest]
            merged[name] = max(chosen, default=0)
    bits = {flag.name: 1 << flag.bit for flag in headrace.flags()}
    lacking = [name for flag, names in NOT_RECORDED.items() if merged["flags"] & bits[flag] for name in names]
    return merged | dict.fromkeys(lacking)


VALUES = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, (1 << 64) - 1))
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "process": st.integers(1, 4),
            "path": st.sampled_from(["/a", "/b", "/b/c", "/b/d", "x"]),
            "kind": st.sampled_from(["file", "pipe", "directory_rollup"]),
        },
        optional=dict.fromkeys(COUNTERS, VALUES),
    ),
    max_size=12,
)


def write(path: Path, records: list[Record]) -> headrace.JobLog:
    maker = LogMaker()
    for record in records:
        counters = {key: value for key, value in record.items() if key in RULES}
        maker.file(record["process"], record["path"], record["kind"], **counters)
    return headrace.open(maker.write(path))


def directory(record: Record) -> str:
    path = str(record["path"])
    if record["kind"] == "directory_rollup" or "/" not in path:
        return path
    return path.rpartition("/")[0] or "/"


KEYS = {
    "path": lambda record: (record["path"], record["kind"]),
    "process": lambda record: record["process"],
    "directory": directory,
    "kind": lambda record: record["kind"],
    "all": lambda record: (),
}


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(records=RECORDS, by=st.sampled_from(sorted(KEYS)))
def test_every_rule_and_key(tmp_path: Path, records: list[Record], by: str) -> None:
    log = write(tmp_path / "a.hr", records)
    groups: dict[Any, list[Record]] = {}
    for record in records:
        groups.setdefault(KEYS[by](record), []).append(record)
    if by == "all" and not records:
        groups[()] = []
    merged = log.merged(by)
    merged.validate(full=True)
    rows = merged.to_pylist()
    assert len(rows) == len(groups)
    for row, (key, members) in zip(rows, groups.items(), strict=True):
        assert {name: row[name] for name in RULES} == merge_reference(members), key
        assert row["processes"] == len({record["process"] for record in members})
        assert row["files"] == len({record["path"] for record in members})
        if by == "path":
            assert (row["path"], row["kind"]) == key
        elif by != "all":
            assert row[by] == key


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(records=RECORDS, process=st.integers(1, 4), kinds=st.sets(st.sampled_from(["file", "pipe"])))
def test_selections(tmp_path: Path, records: list[Record], process: int, kinds: set[str]) -> None:
    log = write(tmp_path / "a.hr", records)
    chosen = [r for r in records if r["process"] == process and (not kinds or r["kind"] in kinds)]
    row = log.merged("all", process, kinds).to_pylist()[0]
    assert {name: row[name] for name in RULES} == merge_reference(chosen)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(records=RECORDS, limit=st.integers(0, 15))
def test_the_top_rows(tmp_path: Path, records: list[Record], limit: int) -> None:
    small = [{k: v % 1000 if k in RULES else v for k, v in record.items()} for record in records]
    merged = write(tmp_path / "a.hr", small).native.merge("path")
    rows = merged.rows()
    terms = {
        "time": ("read_ns", "write_ns", "meta_ns"),
        "bytes": ("bytes_read", "bytes_written"),
        "calls": ("reads", "writes", "metadata_calls"),
    }
    for sort, names in terms.items():
        weights = [sum(row[name] for name in names) for row in rows]
        expected = sorted(range(len(rows)), key=lambda i: -weights[i])[:limit]
        assert merged.top(sort, limit) == expected
    expected = sorted(range(len(rows)), key=lambda i: rows[i]["path"].encode())[:limit]
    assert merged.top("path", limit) == expected


def test_the_last_rename_gives_the_final_name(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.file(1, "/t", last_close_at_ns=9)
    maker.file(2, "/t", final_path="/second", last_close_at_ns=5)
    maker.file(3, "/t", final_path="/first", last_close_at_ns=4)
    log = headrace.open(maker.write(tmp_path / "a.hr"))
    assert log.files_by_path().select(["path", "final_path"]).to_pylist() == [
        {"path": "/t", "final_path": "/second"}
    ]


def test_records_behind_a_merged_row(tmp_path: Path) -> None:
    maker = LogMaker()
    ids = [maker.file(process, path) for path in ("/a", "/b") for process in (1, 2)]
    merged = headrace.open(maker.write(tmp_path / "a.hr")).native.merge("path")
    assert [merged.records(0), merged.records(1)] == [ids[:2], ids[2:]]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    spans=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 500), st.integers(0, 10**6)), max_size=8),
    bins=st.integers(1, 40),
)
def test_bandwidth_keeps_every_byte(tmp_path: Path, spans: list[tuple[int, int, int]], bins: int) -> None:
    maker = LogMaker()
    for start, width, count in spans:
        row = {"start_at_ns": start, "width_ns": width, "bytes": count}
        maker.add("series", process=1, direction="write", **row)
    read, written = headrace.open(maker.write(tmp_path / "a.hr")).native.rate(bins, 0, 1000)[:2]
    assert sum(read) == 0
    assert abs(sum(written) - sum(count for _, _, count in spans)) < 1e-3


def test_common_values_add_up_over_records(tmp_path: Path) -> None:
    maker = LogMaker()
    first, second, other = (maker.file(process, "/a") for process in (1, 2, 3))
    for record, count, exact in ((first, 5, 1), (second, 7, 0), (other, 9, 1)):
        values = {"direction": "read", "what": "stride", "value": -4096, "count": count, "exact": exact}
        maker.add("common", record=record, **values)
    log = headrace.open(maker.write(tmp_path / "a.hr")).native
    assert log.common([[first, second], [other]]) == [
        (0, "read", "stride", -4096, 12, False),
        (1, "read", "stride", -4096, 9, True),
    ]
