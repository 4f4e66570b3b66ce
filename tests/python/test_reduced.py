"""A log whose ranks made one record of files that they share says what it said before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import headrace
from commands import headrace as run
from headrace.analysis.compare import compare
from headrace.analysis.job_facts import job_facts
from headrace.analysis.scaling import scaling
from headrace.analysis.summary import Options, summarize
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_logs import LogMaker
from reduced_logs import reduced

# process: (instance, rank, ranks); 7 is an earlier image of rank 0 of the first program, 8 has no rank. The
# log does not have rank 3 of the second program.
SHARING = {1: (5, 0, 3), 2: (5, 1, 3), 3: (5, 2, 3), 4: (6, 0, 4), 5: (6, 1, 4), 6: (6, 2, 4)}
EARLIER = 7

SMALL = st.one_of(st.just(0), st.integers(0, 40), st.integers(0, 1 << 38))
FIGURES = (
    *("reads", "writes", "bytes_read", "bytes_written", "read_ns", "write_ns", "meta_ns", "opens", "stats"),
    *("reads_consecutive", "writes_forward", "reads_unaligned_file", "read_max_ns", "read_max_size"),
    *("write_errors", "size_at_open"),
)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "process": st.integers(1, 8),
            "path": st.sampled_from(["/a/x", "/a/y", "/b/z", "/b/w"]),
            "kind": st.sampled_from(["file", "file", "file", "stream", "directory"]),
            "layer": st.sampled_from(["posix", "stdio", "mpiio"]),
            "first_open_at_ns": st.integers(0, 3),
            "flags": st.sampled_from([0, 1, 32, 33, 35]),
            **dict.fromkeys(FIGURES, SMALL),
        }
    ),
    max_size=30,
    unique_by=lambda row: (row["process"], row["path"], row["kind"], row["layer"]),
)


def job(records: list[dict[str, Any]]) -> LogMaker:
    maker = LogMaker()
    maker.add("mounts", mount=5, point="/a", type="lustre", source="mds:/a", options="rw")
    for number in range(1, 9):
        instance, rank, ranks = SHARING.get(1 if number == EARLIER else number, (0, -1, 0))
        maker.process(
            number, instance=instance, rank=rank, ranks=ranks, host=f"node{number % 3}",
            executable=f"/bin/program{instance}",
        )  # fmt: skip
    for record in records:
        row = dict(record)
        made = maker.file(row.pop("process"), row["path"], mount=5 * row.pop("path").startswith("/a"), **row)
        if row["reads"]:
            maker.add("sizes", record=made, direction="read", bucket=3, count=row["reads"])
    return maker


def both(tmp_path: Path, records: list[dict[str, Any]], bound: int | None) -> tuple[Path, Path]:
    maker = job(records)
    whole = maker.write(tmp_path / "whole.hr")
    return whole, reduced(maker, SHARING, bound).write(tmp_path / "reduced.hr")


def differences(one: Any, other: Any, where: str = "") -> list[str]:
    """Where two values differ; floats that come from sums in another order are equal."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [text for key in one for text in differences(one[key], other[key], f"{where}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [text for place, (a, b) in pairs for text in differences(a, b, f"{where}[{place}]")]
    if (
        isinstance(one, float)
        and isinstance(other, float)
        and abs(one - other) <= 1e-9 * max(abs(one), abs(other))
    ):
        return []
    return [] if one == other else [f"{where}: {one!r} became {other!r}"]


def told(path: Path, by: str) -> dict[str, Any]:
    with headrace.open(path) as log:
        facts = summarize(log, Options(rows=1000, by=by, sort="path"))
        del facts["log"]
        if by == "process":
            # Of what ranks share, shares say sums only.
            facts["rows"] = sorted(
                (
                    {key: row[key] for key in ("process", "files", "time_ns")}
                    | {
                        part: {key: row[part][key] for key in ("calls", "time_ns")}
                        for part in ("read", "write")
                    }
                    | {"metadata": row["metadata"]["calls"], "bytes": row["read"]["bytes"]}
                    for row in facts["rows"]
                ),
                key=lambda row: str(row["process"]),
            )
        else:
            facts["rows"].sort(key=lambda row: (row["path"], row.get("kind", "")))
        for name in ("layers", "other", "mounts", "directories"):
            found = (
                facts[name]["rows"]
                if isinstance(facts[name], dict) and "rows" in facts[name]
                else facts[name]
            )
            if isinstance(found, list):
                found.sort(key=str)
        return facts


def of_ranks(path: Path) -> dict[str, Any]:
    with headrace.open(path) as log:
        facts = job_facts(log)
        shared = sorted(facts.facts.get("shared_files", []), key=lambda row: str(row["path"]))
        return {"ranks": facts.ranks, "processes": facts.processes, "shared_files": shared}


PROPERTY = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


NOTHING = {"kind": "file", "layer": "posix", **dict.fromkeys(FIGURES, 0)}
# Rank 0 opened a file that was there, of which nothing is known; rank 1 opened it later and asked to make it.
NOT_CREATED = [
    {"process": 1, "path": "/a/x", "first_open_at_ns": 1, "flags": 0, **NOTHING},
    {"process": 2, "path": "/a/x", "first_open_at_ns": 2, "flags": 1, **NOTHING},
]
# Rank 2 used as a directory, as rank 1 did, what it used as a file, alone or as rank 1 did.
DIRECTORY_TOO = [
    {"process": process, "path": "/b/w", "first_open_at_ns": 1, "flags": 0, **NOTHING, "kind": kind}
    for process, kind in ((2, "directory"), (3, "directory"), (3, "file"))
]
BOTH_SHARED = [*DIRECTORY_TOO, DIRECTORY_TOO[2] | {"process": 2}]
AT_ONCE = [
    {"process": process, "path": "/a/x", "first_open_at_ns": 1, "flags": flags, **NOTHING}
    for process, flags in ((1, 1), (2, 0))
]


@PROPERTY
@example(records=NOT_CREATED)
@example(records=AT_ONCE)
@example(records=DIRECTORY_TOO)
@example(records=BOTH_SHARED)
@given(records=RECORDS)
def test_nothing_is_lost(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    whole, less = both(tmp_path, records, None)
    for by in ("path", "directory", "process"):
        assert differences(told(whole, by), told(less, by)) == []
    assert differences(of_ranks(whole), of_ranks(less)) == []
    with headrace.open(whole) as one, headrace.open(less) as other:
        runs = [scaling([log])["runs"][0] | {"log": ""} for log in (one, other)]
        assert differences(*runs) == []
        facts, _ = compare([[one], [other]])
        assert facts["same"], [row for row in facts["totals"] if len(set(row["values"])) > 1]


@PROPERTY
@given(
    records=RECORDS.map(lambda rows: [row for row in rows if row["layer"] != "mpiio"]),
    bound=st.integers(0, 3),
)
def test_what_ranks_did_in_all_is_always_exact(
    tmp_path: Path, records: list[dict[str, Any]], bound: int
) -> None:
    """And of each file what its record says of them. Of a sum of files nobody knows the topmost layer."""
    whole, less = both(tmp_path, records, bound)
    one, other = told(whole, "path"), told(less, "path")
    for row, found in zip(one.pop("rows"), other.pop("rows"), strict=True):
        ranks, kept = row.pop("ranks"), found.pop("ranks")
        assert differences(row, found) == []
        if ranks is None:
            assert kept is None
            continue
        for key in ("bytes", "time_ns"):
            assert differences(ranks[key].pop("mean"), kept[key].pop("mean")) == []
            known = {name: value for name, value in kept[key].items() if value is not None}
            assert differences({name: ranks[key][name] for name in known}, known) == []
        assert [kept[key] for key in ("strategy", "ranks", "world")] == [
            ranks[key] for key in ("strategy", "ranks", "world")
        ]
    for key in ("agg_time_by_slowest_ns", "agg_perf_by_slowest", "by_interface"):
        for facts in (one, other):
            if facts["parallel"]:
                facts["parallel"]["performance"].pop(key)
    assert differences(one, other) == []
    ranks, kept = of_ranks(whole), of_ranks(less)
    for rows in (ranks["ranks"], kept["ranks"]):
        for row in rows:
            row.pop("files")  # of two layers, where they are joined, one by one
    assert differences(ranks["ranks"], kept["ranks"]) == []
    assert differences(ranks["processes"], kept["processes"]) == []
    with headrace.open(whole) as a, headrace.open(less) as b:
        runs = [scaling([log])["runs"][0] | {"log": ""} for log in (a, b)]
        assert differences(*runs) == []


def test_the_commands_take_a_reduced_log(tmp_path: Path) -> None:
    figures = {"writes": 4, "bytes_written": 4096, "reads": 0, "first_open_at_ns": 5, "flags": 33}
    where = {"path": "/a/x", "kind": "file", "layer": "posix"}
    records = [{"process": process, **where, "write_ns": process * 10**6, **figures} for process in (1, 2, 3)]
    whole, less = both(tmp_path, records, 0)
    for name in ("show", "report"):
        output = ["-o", tmp_path / "out.html"] if name == "report" else []
        assert run(name, less, *output).returncode == 0
    text = " ".join(run("show", less).stdout.split())
    assert "shared by 3 ranks" in text
    assert "several files that ranks share" in run("show", less, "--process", "1001").stdout
    assert run("diff", whole, less).returncode == 0
    assert run("scaling", whole, less).returncode == 0
    assert run("export", less, "files", "--format", "csv").returncode in (0, 2)
