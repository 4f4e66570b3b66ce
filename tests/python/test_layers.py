"""Totals take each file at its topmost layer, so nothing counts twice; all layers are shown side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import headrace
import pytest
from commands import headrace as run
from headrace.analysis.job_facts import job_facts
from headrace.analysis.libraries import split
from headrace.analysis.summary import Options, summarize
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_logs import MIB, LogMaker, parallel

SYSTEM = ("posix", "stdio")
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "process": st.integers(1, 3),
            "path": st.sampled_from(["/a", "/b", "/b/c", "/d:e"]),
            "layer": st.sampled_from(["posix", "stdio", "mpiio", "hdf5", "pnetcdf"]),
            "dataset": st.booleans(),
            "bytes_written": st.integers(0, 1000),
            "writes": st.integers(0, 5),
            "reads": st.integers(0, 5),
            "bytes_read": st.integers(0, 1000),
            "read_ns": st.integers(0, 1000),
            "meta_ns": st.integers(0, 1000),
        }
    ),
    max_size=14,
    unique_by=lambda row: (row["process"], row["path"], row["layer"], row["dataset"]),
)


LEVELS = {"posix": 0, "stdio": 0, "mpiio": 1, "hdf5": 2, "pnetcdf": 2}


def topmost(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The plainest form of what totals count: of each process and file the records of the highest layer.

    Each has its file as `file`; one of a dataset has no transfers where its file has as many.
    """
    uses: dict[tuple[int, str], list[dict[str, Any]]] = {}
    known = {record["name"] for record in records if not record["inside"]}
    for record in records:
        name = record["name"]
        file = record["path"] if record["inside"] and record["path"] in known else name
        uses.setdefault((record["process"], file), []).append(record | {"file": file})
    kept = []
    for rows in uses.values():
        calls = {level: [0, 0] for level in (0, 1, 2)}
        for row in rows:
            calls[LEVELS[row["layer"]]][row["inside"]] += row["reads"] + row["writes"]
        moved = [level for level in calls if any(calls[level])]
        top = max(moved or [LEVELS[row["layer"]] for row in rows])
        for row in rows:
            if LEVELS[row["layer"]] != top:
                continue
            if row["inside"] and calls[top][True] <= calls[top][False]:
                row |= dict.fromkeys(("reads", "writes", "bytes_read", "bytes_written", "read_ns"), 0)
            kept.append(row)
    return kept


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=RECORDS)
def test_sums_are_of_topmost_layers(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    maker = LogMaker()
    for number in (1, 2, 3):
        maker.process(number)
    for record in records:
        row = dict(record)
        inside = row.pop("dataset") and row["layer"] in ("hdf5", "pnetcdf") and row["path"] != "/d:e"
        path = row.pop("path") + (":/rho" if inside else "")
        record_id = maker.file(row.pop("process"), path, "dataset" if inside else "file", **row)
        maker.add("sizes", record=record_id, direction="write", bucket=4, count=record["writes"])
        record |= {"name": path, "inside": inside}
    system, counted = [row for row in records if row["layer"] in SYSTEM], topmost(records)
    with headrace.open(maker.write(tmp_path / "a.hr")) as log:
        facts = summarize(log, Options(rows=50))
        report = job_facts(log)
        by_path = log.files_by_path().to_pylist()
    total = {key: sum(row[key] for row in counted) for key in ("bytes_read", "bytes_written", "writes")}
    totals = facts["totals"]
    assert totals["files"] == len({row["file"] for row in counted})
    assert totals["read"]["bytes"] == total["bytes_read"]
    assert totals["write"] | {"bytes": total["bytes_written"], "calls": total["writes"]} == totals["write"]
    assert totals["io_ns"] == sum(row["read_ns"] + row["meta_ns"] for row in counted)
    assert totals["system_ns"] == sum(row["read_ns"] + row["meta_ns"] for row in system)
    assert sum(row["time_ns"] for row in totals["through"]) == totals["io_ns"]
    assert sum(row["write"]["bytes"] for row in facts["rows"]) == total["bytes_written"]
    assert sum(row["bytes_written"] for row in facts["processes"]) == total["bytes_written"]
    assert sum(row["bytes_written"] for row in facts["directories"]) == total["bytes_written"]
    written = sum(row["bytes_written"] for row in system)
    assert sum(row["bytes_written"] for row in by_path) == written
    assert sum(row["bytes_written"] for row in facts["mounts"]) == written
    operations = sum(row["writes"] for row in system)
    if operations:
        assert sum(bucket["operations"] for bucket in facts["sizes"]["write"]) == operations
    assert report.facts["treemap"]["bytes_written"] == total["bytes_written"]
    assert report.facts["treemap"]["files"] == totals["files"] == report.files
    layers = {row["layer"]: row for row in facts["layers"]}
    for name in {record["layer"] for record in records}:
        # Of rows of files and rows of datasets those with more calls are whole: see with_datasets.
        sums = {True: [0, 0], False: [0, 0]}
        has_file = False
        for record in records:
            if record["layer"] == name:
                inside = record["dataset"] and name in ("hdf5", "pnetcdf") and record["path"] != "/d:e"
                has_file = has_file or not inside
                sums[inside][0] += record["writes"]
                sums[inside][1] += record["bytes_written"]
        assert layers[name]["write"]["bytes"] == sums[not has_file or sums[True][0] > sums[False][0]][1]
        assert layers[name]["adds_up"] == (name in SYSTEM)
    above = {record["path"] for record in records if record["layer"] not in SYSTEM}
    below = {record["path"] for record in system}
    if not above:
        assert facts["libraries"] is None
    else:
        assert {file["path"] for file in facts["libraries"]["files"]} == above
        assert facts["libraries"]["only"]["files"] == len(above - below)


def test_a_file_from_its_library_down_to_the_system(tmp_path: Path) -> None:
    log = parallel(tmp_path / "a.hr")
    facts = json.loads(run("show", log, "--json").stdout)
    [file] = facts["libraries"]["files"]
    assert file["path"] == "/scratch/run/dump.h5"
    hdf5, mpiio, posix = file["layers"]
    assert [layer["layer"] for layer in file["layers"]] == ["hdf5", "mpiio", "posix"]
    assert hdf5["write"]["bytes"] == 8 * (8 * MIB + 128)
    assert hdf5["write"]["calls"] == 8 * 3
    assert hdf5["together"]["writes_collective"] == 8
    assert hdf5["write"]["usual_size"] == 8 * MIB
    assert (hdf5["datasets"], hdf5["dataset_rows"][0]["name"]) == (1, "/rho")
    assert mpiio["write"]["calls"] == 8
    assert mpiio["together"]["views"] == 8
    assert posix["write"] == {
        "calls": 16, "errors": 0, "bytes": 64 * MIB, "time_ns": 240_000_000, "slowest_ns": 16_000_000,
        "usual_size": 4 * MIB,
    }  # fmt: skip
    assert facts["totals"]["write"]["bytes"] == 8 * (8 * MIB + 128) + 8 * 8000, (
        "of the topmost layer of each file"
    )
    text = run("show", log).stdout
    assert "Libraries above, whose calls pass the layers below: each file counts in its topmost one" in text
    assert "Of mpiio: 100 % of writes collective, 8 writes in pieces, 8 views." in text
    assert "own time" in text


def test_datasets_of_darshan_logs_alone_have_the_calls(tmp_path: Path) -> None:
    """Its rows of files have opens and no reads or writes."""
    maker = LogMaker()
    maker.process(1)
    maker.file(1, "/x.h5", layer="posix", writes=1, bytes_written=100)
    maker.file(1, "/x.h5", layer="hdf5", opens=1, meta_ns=5)
    for name, size in (("a", 60), ("b", 40)):
        record = maker.file(
            1, f"/x.h5:{name}", kind="dataset", layer="hdf5", opens=1, writes=1, bytes_written=size,
            writes_collective=1, meta_ns=1,
        )  # fmt: skip
        maker.add("sizes", record=record, direction="write", bucket=6, count=1)
    facts = json.loads(run("show", maker.write(tmp_path / "a.hr"), "--json").stdout)
    for layer in (facts["layers"][1], facts["libraries"]["files"][0]["layers"][0]):
        assert (layer["write"]["calls"], layer["write"]["bytes"]) == (2, 100)
        assert layer["metadata"]["time_ns"] == 7
        assert layer["together"]["writes_collective"] == 2
        assert layer["datasets"] == 2
    assert facts["libraries"]["files"][0]["layers"][0]["opens"] == 1, "of the file, not of what is in it"
    assert facts["sizes"]["by_layer"]["hdf5"]["write"][0]["operations"] == 2


def test_files_that_only_a_library_has_are_said(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    maker.file(1, "/x.h5", layer="hdf5", writes=1, bytes_written=100)
    maker.file(1, "/x.h5", layer="mpiio", writes=1, bytes_written=120)
    log = maker.write(tmp_path / "a.hr")
    facts = json.loads(run("show", log, "--json").stdout)
    assert (facts["totals"]["files"], facts["totals"]["write"]["bytes"]) == (1, 100)
    assert facts["libraries"]["only"] == {"files": 1, "bytes_read": 0, "bytes_written": 120}
    assert "1 file with 0 B read and 120 B written are known from libraries alone" in " ".join(
        run("show", log).stdout.split()
    )


def test_layers_of_functions(tmp_path: Path) -> None:
    """A log of an earlier version does not say the layer: then the function does."""
    with headrace.open(parallel(tmp_path / "new.hr")) as log:
        layers = {row["function"]: row["layer"] for row in summarize(log)["functions"]}
    assert layers["MPI_Barrier"] == "mpi"
    assert layers["H5Dwrite"] == "hdf5"
    maker = LogMaker()
    maker.process(1)
    for function in ("fread", "read"):
        maker.add("profiles", process=1, function=function, calls=1, errors=0, bytes=2, time_ns=9, max_ns=9)
    with headrace.open(maker.write(tmp_path / "old.hr")) as log:
        rows = {row["function"]: (row["layer"], row["own_ns"]) for row in summarize(log)["functions"]}
    assert rows == {"fread": ("stdio", 9), "read": ("posix", 9)}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a/b.h5:/g/d", ("/a/b.h5", "/g/d")),
        ("/a:b.h5:rho", ("/a:b.h5", "rho")),
        ("/other:x:y", ("/other", "x:y")),
        ("/none", ("/none", "")),
    ],
)
def test_datasets_and_their_files(path: str, expected: tuple[str, str]) -> None:
    assert split(path, {"/a/b.h5", "/a:b.h5"}) == expected


def test_a_diff_compares_files_as_totals_count_them(tmp_path: Path) -> None:
    """Waiting inside of MPI-IO is a change of the file, though the system's calls took as long as before."""
    logs = []
    for name, waited in (("a.hr", 100), ("b.hr", 300)):
        maker = LogMaker()
        maker.process(1)
        maker.file(1, "/x", layer="posix", opens=1, writes=2, bytes_written=80, write_ns=10, writes_forward=1)
        maker.file(1, "/x", layer="mpiio", opens=1, writes=1, bytes_written=80, write_ns=waited)
        logs.append(maker.write(tmp_path / name))
    found = json.loads(run("diff", *logs, "--json").stdout)
    [row] = found["files"]["rows"]
    assert (row["path"], row["changes"][1]["time_ns"], row["changes"][1]["share"]) == ("/x", 200, 1)
    assert {row["key"]: row["values"] for row in found["totals"]}["io_ns"] == [100, 300]
    assert row["sides"][0]["access"]["write"]["operations"] == 2, "the system's, whose places are known"
