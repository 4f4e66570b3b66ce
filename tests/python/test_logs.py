"""Tables of a job log as Python sees them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import headrace
import pytest
from headrace import _native
from made_logs import LogMaker, large, simulation


def test_importing_the_package_loads_no_analysis_package() -> None:
    heavy = ["pyarrow", "pandas", "numpy", "click", "rich"]
    code = f"import headrace, sys; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_the_public_list_is_pinned() -> None:
    assert sorted(headrace.__all__) == headrace.__all__
    documented = (Path(__file__).parents[2] / "docs/python.md").read_text()
    for name in headrace.__all__:
        assert hasattr(headrace, name)
        assert f"`{name}" in documented, f"docs/python.md does not mention {name}"


def test_every_known_table_opens_with_its_columns_in_order(tmp_path: Path) -> None:
    with headrace.open(simulation(tmp_path / "a.hr")) as log:
        schema = _native.schema()
        assert log.tables == list(schema)
        for name, columns in schema.items():
            table = log.table(name)
            table.validate(full=True)
            assert table.column_names == [column["name"] for column in columns], name
        assert log.files.num_rows == 2 * 5
        assert log.files.column_names[8:] == [counter.name for counter in headrace.counters()]


def test_columns_carry_their_unit_and_merge_rule(tmp_path: Path) -> None:
    log = headrace.open(simulation(tmp_path / "a.hr"))
    metadata = log.files.schema.field("write_max_size").metadata
    assert metadata[b"unit"] == b"bytes"
    assert (metadata[b"merge"], metadata[b"with"]) == (b"with", b"write_max_ns")
    assert log.processes.schema.field("memory_bytes").metadata[b"unit"] == b"bytes"
    assert b"unit" not in log.files.schema.field("path").metadata


def test_job_facts_have_natural_types_and_the_last_value_counts(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1)
    path = maker.write(tmp_path / "a.hr")
    facts = headrace.open(path).job
    assert facts["command"] == ["./simulate", "--steps", "10"]
    assert facts["exit_status"] == 0
    assert facts["complete"] == "yes"
    rows = {"key": ["exit_status", "command", "exit_status"], "value": ["1", "[not json", "7"]}
    _native.write_tables(bytes(path), {"job": rows})
    assert headrace.open(path).job == {"exit_status": 7, "command": "[not json"}


def test_names_resolve_and_invalid_bytes_are_escaped(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.process(1, executable=b"/bin/\xff\xfe", arguments=b"a\0\xc3\xa9 b\0\0\x80")
    for path in (
        "/plain",
        "/caf\u00e9",
        b"/half \xc3",
        b"/surrogate \xed\xa0\x80",
        b"/over \xc0\xaf",
        "/with\nline",
    ):
        maker.file(1, path)
    log = headrace.open(maker.write(tmp_path / "a.hr"))
    assert log.files["path"].to_pylist() == [
        "/plain",
        "/caf\u00e9",
        "/half \\xc3",
        "/surrogate \\xed\\xa0\\x80",
        "/over \\xc0\\xaf",
        "/with\nline",
    ]
    assert log.processes["executable"].to_pylist() == ["/bin/\\xff\\xfe"]
    assert log.processes["arguments"].to_pylist() == [["a", "\u00e9 b", "", "\\x80"]]
    assert b"/half \xc3" in log.raw("names")["text"].to_pylist()
    assert log.raw("files")["path"].to_pylist()[0] == log.raw("names")["name"].to_pylist()[3]


def test_a_character_cut_between_two_values_is_escaped_in_both(tmp_path: Path) -> None:
    path = tmp_path / "a.hr"
    _native.write_tables(bytes(path), {"mounts": {"mount": [1, 2], "point": [b"/\xc3", b"\xa9"]}})
    table = headrace.open(path).mounts
    table.validate(full=True)
    assert table["point"].to_pylist() == ["/\\xc3", "\\xa9"]


def test_lost_names_are_said_and_do_not_hide_the_figures(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.file(1, "/a", opens=3)
    log = headrace.open(maker.write(tmp_path / "a.hr", leave_out=["names"]))
    assert re.fullmatch(r"\[name [0-9a-f]{16} is lost\]", log.files["path"][0].as_py())
    assert log.files["opens"].to_pylist() == [3]


def test_an_empty_job_has_every_table_without_rows(tmp_path: Path) -> None:
    log = headrace.open(LogMaker().write(tmp_path / "a.hr"))
    for name in log.tables:
        table = log.table(name)
        table.validate(full=True)
        assert table.num_rows == 0 or name == "job"
    assert log.files_by_path().num_rows == 0
    assert log.merged("all")["opens"].to_pylist() == [0]


def test_columns_and_tables_of_a_newer_version_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.hr"
    extra = {"share": [0.5, 1.5], "delta": [-1, 2], "note": ["x", "y"]}
    tables = {"mounts": {"mount": [1, 2], **extra}, "waves": {"name": ["a"], "n": [1]}}
    _native.write_tables(bytes(path), tables)
    log = headrace.open(path)
    assert log.mounts.select(list(extra)).to_pydict() == extra
    assert log.tables[-1] == "waves"
    assert log.table("waves").to_pydict() == {"name": ["a"], "n": [1]}


def test_text_where_numbers_belong_is_refused_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "a.hr"
    _native.write_tables(bytes(path), {"files": {"process": ["one"], "opens": ["two"]}})
    with pytest.raises(headrace.LogCorruptError, match=r"a\.hr: table 'files': column 'process' holds text"):
        headrace.open(path).files  # noqa: B018


def test_unknown_tables_and_keys_are_refused(tmp_path: Path) -> None:
    log = headrace.open(simulation(tmp_path / "a.hr"))
    with pytest.raises(headrace.LogNotFoundError, match="has no table 'nonsense'"):
        log.table("nonsense")
    with pytest.raises(headrace.UsageError, match="choose path, process"):
        log.merged("color")
    for asked, what in (
        ({"layers": ("foo",)}, "layer"),
        ({"kinds": ["foo"]}, "kind"),
        ({"kinds": "file"}, "kind"),
    ):
        with pytest.raises(headrace.UsageError, match=f"no records of {what} .*; choose of (posix|file), "):
            log.merged("path", **asked)
    assert log.merged("path", kinds=["socket"], layers=["pnetcdf"]).num_rows == 0


def test_kinds_of_a_newer_version_can_be_chosen(tmp_path: Path) -> None:
    maker = LogMaker()
    maker.file(maker.process(1), "/a", kind="hologram", layer="aether", opens=1)
    log = headrace.open(maker.write(tmp_path / "a.hr"))
    assert log.merged("all", kinds=["hologram"], layers=["aether"])["opens"].to_pylist() == [1]


def test_tables_outlive_the_log(tmp_path: Path) -> None:
    with headrace.open(simulation(tmp_path / "a.hr")) as log:
        files = log.files
    assert sum(files["opens"].to_pylist()) == 8
    with pytest.raises(headrace.UsageError, match="closed"):
        log.table("files")


def test_repr_says_what_ran_and_how_much_is_there(tmp_path: Path) -> None:
    log = headrace.open(simulation(tmp_path / "a.hr"))
    assert repr(log).endswith("a.hr': './simulate --steps 10', 3 process images, 10 file records>")
    log.close()
    assert repr(log).endswith("closed>")


def test_pandas(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    frame = headrace.open(simulation(tmp_path / "a.hr")).pandas("files")
    assert frame.groupby("process")["bytes_read"].sum().tolist() == [4 << 20, 4 << 20]


def test_concatenated_jobs_must_be_chosen(tmp_path: Path) -> None:
    both = tmp_path / "both.hr"
    one = simulation(tmp_path / "a.hr", processes=1).read_bytes()
    two = simulation(tmp_path / "b.hr", processes=2).read_bytes()
    both.write_bytes(one + two)
    with pytest.raises(headrace.UsageError, match="holds 2 jobs"):
        headrace.open(both)
    assert headrace.open(both, job=1).processes.num_rows == 2
    assert headrace.open(both, job=2).processes.num_rows == 3
    for wrong in (0, 3):
        with pytest.raises(headrace.UsageError):
            headrace.open(both, job=wrong)


def test_a_log_appended_to_itself_counts_once(tmp_path: Path) -> None:
    path = simulation(tmp_path / "a.hr")
    path.write_bytes(path.read_bytes() * 2)
    log = headrace.open(path)
    assert log.files.num_rows == 10
    assert log.verify()


@pytest.mark.alone
def test_opening_100_000_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Prints the time; asserts only that nothing is badly wrong, because machines differ."""
    import time

    path = large(tmp_path / "large.hr")
    times = []
    for _ in range(3):
        start = time.perf_counter()
        log = headrace.open(path)
        rows = {name: log.table(name).num_rows for name in log.tables}
        times.append(time.perf_counter() - start)
    assert rows["files"] == 100_000
    with capsys.disabled():
        print(f"\n100,000 file records, all tables: {min(times) * 1e3:.0f} ms at best of 3")
    assert min(times) < 5


def test_rows_are_found_by_their_values(tmp_path: Path) -> None:
    path = tmp_path / "rows.hr"
    rows = {"phase": ["a", "b", "a", "a"], "instance": [0, 1, 1, 0]}
    _native.write_tables(bytes(path), {"mounts": {"mount": [1]}, "waves": rows})
    with headrace.open(path) as log:
        frame = log.native.frame("waves")
        assert frame.where({}) == [0, 1, 2, 3]
        assert frame.where({"instance": 1}) == [1, 2]
        assert frame.where({"phase": "a", "instance": 0}) == [0, 3]
        assert frame.where({"phase": "no", "instance": 0}) == []
        with pytest.raises(KeyError, match="no_column"):
            frame.where({"no_column": 1})
        for wrong in ({"phase": 1}, {"instance": "a"}, {"instance": None}, {"instance": 1.0}):
            with pytest.raises(TypeError):
                frame.where(wrong)  # type: ignore[arg-type]
        for far in (-1, 2**64):
            assert frame.where({"instance": far}) == []
