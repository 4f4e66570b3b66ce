"""Records of a layout that nobody knows: their module is left out, with a word, and nothing counts of it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import headrace
import pytest
from darshan_tools import TABLES
from headrace import catalog
from headrace.catalog.add import add
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from made_darshan import MADE, Log, pack
from made_darshan.counters import names
from made_darshan.record_bytes import record_bytes

LAYERS = {"POSIX": "posix", "MPI-IO": "mpiio", "H5F": "hdf5", "PNETCDF_FILE": "pnetcdf", "STDIO": "stdio"}
OTHERS = {"HEATMAP": "darshan_heatmap", "LUSTRE": "darshan_lustre", "DXT_POSIX": "darshan_dxtposix"}
WORDS = some.one_of(
    some.sampled_from([0, 1, 2**63 - 1, 0x3FF0_0000_0000_0000]),
    some.integers(min_value=0, max_value=2**63 - 1),
)


def _records(log: Log, module: str) -> list[bytes]:
    return [record_bytes(module, log.versions[module], log.order, each) for each in log.modules[module]]


def _with(log: Log, module: str, region: bytes) -> Log:
    del log.modules[module]
    log.opaque[module] = region
    return log


def _opened(log: Log, path: Path) -> headrace.JobLog:
    path.write_bytes(pack(log))
    return headrace.open(path)


def _is_left_out(opened: headrace.JobLog, module: str) -> None:
    table = TABLES.get(module) or OTHERS.get(module) or "darshan_apmpi"
    assert table not in opened.tables
    assert f"module {module}: its records are not laid out as version" in opened.job["complete"]
    (told,) = [row for row in opened.gaps.to_pylist() if row["what"] == f"Darshan's module {module}"]
    assert told["unit"] == "bytes of the Darshan log" and told["amount"] > 0
    assert opened.processes["rank"].to_pylist()[-4:] == [0, 1, 2, 3]
    if layer := LAYERS.get(module):
        kinds = opened.files.to_pylist()
        assert not [row for row in kinds if row["layer"] == layer and row["kind"] == "file"]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=some.data())
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("module", [*TABLES, *OTHERS, "APMPI"])
def test_words_that_are_too_many(module: str, order: str, tmp_path: Path, data: Any) -> None:
    log = MADE["autoperf" if order == "<" else "autoperf-big"]()
    records = _records(log, module)
    head = records.pop(0) if module == "APMPI" else b""
    place = 8 * data.draw(some.integers(0, min(len(each) for each in records) // 8 - 2))
    words = data.draw(some.lists(WORDS, min_size=1, max_size=3))
    more = struct.pack(f"{order}{len(words)}Q", *words)
    region = b"".join(each[:place] + more + each[place:] for each in records)
    if data.draw(some.booleans()) and module in TABLES:  # a whole number of records again
        region += bytes(-len(region) % len(records[0]))
    _is_left_out(_opened(_with(log, module, head + region), tmp_path / "more.darshan"), module)


@pytest.mark.parametrize("module", TABLES)
def test_words_that_are_too_few(module: str, tmp_path: Path) -> None:
    log = MADE["3.5.0"]()
    region = b"".join(each[:-8] for each in _records(log, module))
    _is_left_out(_opened(_with(log, module, region), tmp_path / "fewer.darshan"), module)


@pytest.mark.parametrize(
    ("name", "value"),
    [("POSIX_READS", -2), ("POSIX_BYTES_WRITTEN", 1 << 60), ("POSIX_F_READ_TIME", float("nan")),
     ("POSIX_SEEKS", -4096), ("POSIX_F_META_TIME", 5e-324), ("POSIX_F_OPEN_START_TIMESTAMP", 1e200)],
)  # fmt: skip
def test_values_that_cannot_be(name: str, value: float, tmp_path: Path) -> None:
    log = MADE["3.5.0"]()
    log.modules["POSIX"][-1].values[name] = value
    _is_left_out(_opened(log, tmp_path / "a.darshan"), "POSIX")


@pytest.mark.parametrize(("field", "value"), [("rank", 4), ("rank", -2), ("rank", 217), ("id", 99)])
def test_records_of_nobody(field: str, value: int, tmp_path: Path) -> None:
    log = MADE["3.5.0"]()
    object.__setattr__(log.modules["STDIO"][-1], field, value)
    opened = _opened(log, tmp_path / "a.darshan")
    assert f"record {len(log.modules['STDIO'])}: its {field}" in opened.job["complete"]
    _is_left_out(opened, "STDIO")


def test_what_may_be_negative_is_read(tmp_path: Path) -> None:
    log = MADE["3.5.0"]()
    values = log.modules["POSIX"][0].values
    values |= {"POSIX_F_WRITE_TIME": -2662.75}  # as a log of Darshan 3.1.3 has one
    values |= {
        "POSIX_STRIDE1_STRIDE": -4096,
        "POSIX_RENAMED_FROM": -5,
        "POSIX_F_VARIANCE_RANK_TIME": float("nan"),
    }
    opened = _opened(log, tmp_path / "a.darshan")
    assert opened.job["complete"] == "yes"
    assert opened.table("darshan_posix")["POSIX_STRIDE1_STRIDE"][0].as_py() == -4096


def test_without_names_ids_say_nothing(tmp_path: Path) -> None:
    log = MADE["3.5.0"]()
    log.names = {}
    assert _opened(log, tmp_path / "a.darshan").job["complete"] == "yes"


def test_records_of_another_known_version_are_read(tmp_path: Path) -> None:
    old, log = MADE["3.1.0"](), MADE["3.1.8"]()
    assert (old.versions["POSIX"], log.versions["POSIX"]) == (3, 4)
    meant = [each.values["POSIX_BYTES_WRITTEN"] for each in old.modules["POSIX"]]
    log.names |= old.names
    opened = _opened(_with(log, "POSIX", b"".join(_records(old, "POSIX"))), tmp_path / "a.darshan")
    assert opened.job["complete"] == "yes"
    assert opened.table("darshan_posix")["POSIX_BYTES_WRITTEN"].to_pylist() == meant
    assert "layout of version 3" in next(
        row["reason"] for row in opened.gaps.to_pylist() if row["what"] == "Darshan's module POSIX"
    )
    assert "POSIX_DUPS" not in names("POSIX", 3)[0]
    assert set(opened.table("darshan_posix")["POSIX_DUPS"].to_pylist()) == {-1}


def test_a_catalog_has_no_figure_of_them(tmp_path: Path) -> None:
    log = MADE["3.5.0"]()
    records = _records(log, "POSIX")
    path = tmp_path / "askew.darshan"
    path.write_bytes(
        pack(_with(log, "POSIX", b"".join(each[:200] + bytes(8) + each[200:] for each in records)))
    )
    assert add(tmp_path / "c", [path]).bad == []
    (job,) = catalog.open(tmp_path / "c").table("logs").to_pylist()
    assert not job["complete"] and "module POSIX: its records" in job["why_incomplete"]
    assert job["bytes_posix"] == 0 and job["processes"] == 4
