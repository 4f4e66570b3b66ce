"""`headrace report`: what it writes, and that its figures are those of the log and of `headrace show`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import headrace as package
import pytest
from commands import headrace
from headrace.analysis.job_facts import job_facts
from headrace.commands.report import default_output
from headrace.reports import html
from made_logs import MIB, LogMaker, large, simulation
from report_reader import read_report, rows_of, stand_in

HOSTILE = [
    "/x/<script>alert(1)</script>",
    "/x/</script><!-- ",
    "/x/\"quotes'`",
    "/x/new\nline\r\ttab\x00zero",
    b"/x/invalid\xff\xfeutf8",
    "/x/\u202egnp.exe",
    "/x/\u05e9\u05dc\u05d5\u05dd",
    "/x/" + "long" * 1000,
    "relative",
    "",
]


@pytest.fixture(autouse=True)
def page(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least page, so that nothing here depends on web/ having been built."""
    path = stand_in(tmp_path_factory.mktemp("page"))
    monkeypatch.setattr(html, "TEMPLATE", path)
    monkeypatch.setenv("HEADRACE_TEST_TEMPLATE", str(path))


def report(log: Path, *options: str) -> dict[str, Any]:
    """The decoded report that the command writes."""
    from headrace.commands import main

    output = log.with_name("written.html")
    assert main(["report", str(log), "-o", str(output), "--force", *options]) == 0
    return read_report(output)


def shown(log: Path, *options: str) -> dict[str, Any]:
    run = headrace("show", log, "--json", "--files", "1000000", *options)
    assert run.returncode == 0, run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    return result


class TestFigures:
    def test_of_a_simulation(self, tmp_path: Path) -> None:
        found = report(simulation(tmp_path / "a.hr"))
        files = {row["path"]: row for row in rows_of(found["tables"]["files"])}
        mesh = files["/scratch/in/mesh.h5"]
        assert (mesh["reads"], mesh["bytes_read"], mesh["processes"], mesh["opens"]) == (8, 8 * MIB, 2, 2)
        assert (mesh["calls"], mesh["metadata_calls"], mesh["layers"], mesh["kind"]) == (
            12,
            4,
            "posix",
            "file",
        )
        assert (mesh["time_ns"], mesh["read_ns"], mesh["meta_ns"]) == (16_100_000, 16_000_000, 100_000)
        assert (mesh["read_pattern"], mesh["write_pattern"]) == ("forward", "")
        assert (mesh["read_size"], mesh["write_size"]) == (MIB, -1)
        assert (mesh["unaligned_read_share"], mesh["unaligned_write_share"]) == (0, -1)
        assert (mesh["mount"], mesh["final_path"], mesh["site"]) == ("/scratch", "", -1)
        assert (mesh["first_at_ns"], mesh["last_at_ns"], mesh["slowest_ns"]) == (1000, 500_000_000, 3_000_000)
        step = files["/scratch/out/step2.1.tmp"]
        assert step["final_path"] == "/scratch/out/step2.1.h5"
        assert (step["write_pattern"], step["write_size"]) == ("consecutive", 512)
        assert step["unaligned_write_share"] == pytest.approx(0.88)
        assert step["flags"] == 1 << 9 | 1
        assert found["tables"]["files"]["path"][0] == "/scratch/in/mesh.h5", "most time first"

    def test_are_those_of_show(self, tmp_path: Path) -> None:
        log = large(tmp_path / "a.hr", files=2000)
        found, show = report(log), shown(log)
        for key in ("totals", "other", "mounts", "not_captured", "damage", "job", "log"):
            assert found["facts"]["summary"][key] == show[key], key
        for key in ("layers", "functions", "sizes"):
            assert found["facts"][key] == show[key], key
        rows = rows_of(found["tables"]["files"])
        assert len(rows) == show["rows_in_all"] == 2000
        for row, facts in zip(rows, show["rows"], strict=True):
            assert row["path"] == facts["path"]
            assert row["time_ns"] == facts["time_ns"]
            assert row["opens"] == facts["opens"]
            assert row["calls"] == sum(facts[part]["calls"] for part in ("read", "write", "metadata"))
            for way in ("read", "write"):
                assert row[f"{way}s"] == facts[way]["calls"]
                assert row[f"{way}_ns"] == facts[way]["time_ns"]
                access = facts["access"][way]
                assert (row[f"{way}_pattern"] or None) == access["pattern"]
                sizes = [size["bytes"] for size in access["common_sizes"] if size["bytes"]]
                assert row[f"{way}_size"] == (sizes[0] if sizes else -1)
                if access["operations"]:
                    share = access["unaligned"] / access["operations"]
                    assert row[f"unaligned_{way}_share"] == pytest.approx(share)
        assert sum(row["time_ns"] for row in rows) == show["totals"]["io_ns"]
        assert "files_left_out" not in found["facts"]

    def test_of_processes_are_those_of_show(self, tmp_path: Path) -> None:
        log = simulation(tmp_path / "a.hr", processes=5)
        found, show = report(log)["tables"]["processes"], shown(log)["processes"]
        rows = rows_of(found)
        assert [row["process"] for row in rows] == [row["process"] for row in show]
        for number, (row, facts) in enumerate(zip(rows, show, strict=True)):
            same = ("pid", "depth", "start_at_ns", "run_ns", "bytes_read", "bytes_written", "calls", "rank")
            for key in (
                *same,
                "read_ns",
                "write_ns",
                "meta_ns",
                "host",
                "executable",
                "ended",
                "exit_status",
            ):
                assert row[key] == facts[key], key
            assert row["arguments"] == " ".join(facts["arguments"])
            assert row["parent"] < number
            parent = rows[row["parent"]]["process"] if row["parent"] >= 0 else None
            assert parent == facts["parent"]

    def test_over_time(self, tmp_path: Path) -> None:
        rate = report(simulation(tmp_path / "a.hr"))["facts"]["rate"]
        assert rate["span_ns"] == 125_000_000, "as fine as the log is"
        assert rate["bytes_read"] == [2 * MIB] * 4 + [0] * 12
        assert rate["bytes_written"] == [0] * 8 + [76800] * 4 + [0] * 4
        assert rate["reads"] == rate["writes"] == rate["metadata"] == [], "the log does not say"

    def test_operations_over_time(self, tmp_path: Path) -> None:
        maker = LogMaker()
        maker.process(1)
        for direction, moved, operations in (("read", 10, 5), ("write", 20, 7), ("metadata", 0, 9)):
            maker.add(
                "series", process=1, direction=direction, start_at_ns=10**9, width_ns=10**9,
                bytes=moved, operations=operations,
            )  # fmt: skip
        log = maker.write(tmp_path / "a.hr")
        rate = report(log)["facts"]["rate"]
        assert (rate["reads"], rate["writes"], rate["metadata"]) == ([0, 5], [0, 7], [0, 9])
        assert (rate["bytes_read"], rate["bytes_written"]) == ([0, 10], [0, 20])
        assert sum(shown(log)["bandwidth"]["metadata"]) == 9

    def test_two_layers_add_up(self, tmp_path: Path) -> None:
        maker = LogMaker()
        maker.process(1)
        for layer, path, reads, unaligned in (
            ("posix", "/both", 3, 2),
            ("stdio", "/both", 5, 0),
            ("stdio", "/stream", 7, 0),
            ("posix", "/file", 11, 11),
        ):
            record = maker.file(
                1, path, layer=layer, reads=reads, bytes_read=reads * 8, read_ns=reads, read_errors=1,
                reads_unaligned_file=unaligned,
            )  # fmt: skip
            maker.rows["files"][-1]["record"] = record = record ^ (layer == "stdio")
            maker.add("sizes", record=record, direction="read", bucket=3, count=reads)
        log = maker.write(tmp_path / "a.hr")
        found = report(log)
        files = {row["path"]: row for row in rows_of(found["tables"]["files"])}
        assert {path: (row["layers"], row["reads"]) for path, row in files.items()} == {
            "/both": ("posix+stdio", 8),
            "/stream": ("stdio", 7),
            "/file": ("posix", 11),
        }
        assert files["/stream"]["unaligned_read_share"] == -1, "streams do not say"
        assert files["/file"]["unaligned_read_share"] == 1
        layers = {row["layer"]: row for row in found["facts"]["layers"]}
        assert {name: row["read"]["calls"] for name, row in layers.items()} == {"posix": 14, "stdio": 12}
        assert {name: row["read"]["errors"] for name, row in layers.items()} == {"posix": 2, "stdio": 2}
        assert sum(row["read"]["time_ns"] for row in layers.values()) == 26
        assert found["facts"]["summary"]["totals"]["files"] == 3
        sizes = found["facts"]["sizes"]
        assert sizes["read"] == [{"over": 4, "to": 8, "operations": 26}]
        assert sizes["by_layer"]["posix"]["read"] == [{"over": 4, "to": 8, "operations": 14}]
        assert sizes["by_layer"]["stdio"]["read"] == [{"over": 4, "to": 8, "operations": 12}]

    def test_every_figure_has_a_definition(self, tmp_path: Path) -> None:
        found = report(simulation(tmp_path / "a.hr"))
        defined = found["facts"]["definitions"]
        for table in found["tables"].values():
            for column in table:
                assert column in defined, column
        for key in (*found["facts"]["summary"]["totals"], *found["facts"]["layers"][0]["read"]):
            assert key in defined, key
        assert all(re.fullmatch(r"[A-Za-z0-9].*\.", sentence) for sentence in defined.values())
        assert set(found["facts"]["units"].values()) <= {"ns", "at_ns", "bytes", "bytes/s", "count", "share"}


class TestManyFiles:
    def test_those_that_matter_and_the_sums_of_the_rest(self, tmp_path: Path) -> None:
        maker = LogMaker()
        maker.process(1)
        for number in range(300):
            maker.file(1, f"/small/{number}", opens=1, reads=1, bytes_read=1, read_ns=10)
        maker.file(1, "/slow", read_ns=10**9, reads=1)
        maker.file(1, "/big", read_ns=1, reads=1, bytes_read=10**9)
        maker.file(1, "/busy", read_ns=2, reads=10**6)
        with package.open(maker.write(tmp_path / "a.hr")) as log:
            found = job_facts(log, most_files=30)
            whole = job_facts(log)
        assert (found.files, whole.files) == (30, 303)
        paths = {name: parts for name, _, parts, _ in found.file_columns}["path"][1]
        assert paths.startswith(b"/slow")
        assert b"/busy/big" in paths, "most time first: 2 ns, then 1 ns"
        assert found.facts["files_left_out"] == {
            "files": 273, "bytes_read": 273, "bytes_written": 0, "time_ns": 2730, "calls": 2 * 273,
        }  # fmt: skip
        assert found.facts["treemap"] == whole.facts["treemap"]

    def test_a_treemap_of_many_directories_is_cut(self, tmp_path: Path) -> None:
        with package.open(large(tmp_path / "a.hr", files=20_000)) as log:
            tree = job_facts(log).facts["treemap"]
            totals = log.merged("all", kinds=["file"]).to_pylist()[0]
        nodes = list(walk(tree))
        assert 1000 < len(nodes) <= 2000
        assert tree["name"] == "/scratch/project"
        assert tree["files"] == 20_000
        assert tree["bytes_written"] == totals["bytes_written"]
        for node in nodes:
            for key in ("files", "bytes_read", "bytes_written", "time_ns", "calls"):
                assert not node.get("children") or node[key] == sum(
                    child[key] for child in node["children"]
                ), key
        assert any(re.fullmatch(r"\(\d+ others\)", node["name"]) for node in nodes)

    def test_paths_of_many_levels(self, tmp_path: Path) -> None:
        maker = LogMaker()
        maker.process(1)
        for depth in range(1, 1500):
            maker.file(1, "/a" * depth + "/file", opens=1, meta_ns=depth)
            maker.file(1, "/a" * depth + "//./odd//", opens=1)
        found = report(maker.write(tmp_path / "a.hr"))
        assert found["facts"]["treemap"]["files"] == 2998
        assert max(depth for depth, _ in depths(found["facts"]["treemap"])) <= 42

    def test_directories_and_rollups_count_what_they_hold(self, tmp_path: Path) -> None:
        maker = LogMaker()
        maker.process(1)
        maker.file(1, "/d/sub", kind="directory", opens=1, meta_ns=5)
        maker.file(1, "/d/sub", opens=1, makes=1, meta_ns=7)
        maker.file(1, "/d/sub/x", opens=1, meta_ns=1)
        maker.file(1, "/d/many", kind="directory_rollup", folded_files=40, opens=40, meta_ns=40)
        log = maker.write(tmp_path / "a.hr")
        tree = report(log)["facts"]["treemap"]
        assert (tree["name"], tree["files"], tree["time_ns"]) == ("/d", 41, 53)
        assert tree["files"] == shown(log)["totals"]["files"]
        assert {child["name"]: child["files"] for child in tree["children"]} == {"sub": 1, "many": 40}


def walk(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for _, each in depths(node)]


def depths(node: dict[str, Any], depth: int = 1) -> list[tuple[int, dict[str, Any]]]:
    return [(depth, node), *(each for child in node.get("children", []) for each in depths(child, depth + 1))]


class TestHardCases:
    def test_a_job_without_io_and_one_without_anything(self, tmp_path: Path) -> None:
        empty = LogMaker()
        empty.job = {}
        idle = LogMaker()
        idle.process(1)
        for maker in (empty, idle):
            found = report(maker.write(tmp_path / "a.hr"))
            assert found["tables"]["files"]["path"] == []
            assert found["facts"]["summary"]["totals"]["read"]["calls"] == 0
            assert found["facts"]["treemap"]["files"] == 0
            assert found["facts"]["layers"] == []

    def test_one_operation(self, tmp_path: Path) -> None:
        maker = LogMaker()
        maker.process(1)
        maker.file(1, "/f", writes=1, bytes_written=1, write_ns=1)
        found = report(maker.write(tmp_path / "a.hr"))
        (row,) = rows_of(found["tables"]["files"])
        assert (row["calls"], row["bytes_written"], row["write_pattern"]) == (1, 1, "")
        assert found["facts"]["treemap"]["name"] == "/f"

    def test_hostile_names(self, tmp_path: Path) -> None:
        maker = LogMaker(command=json.dumps(["</script>", "\ud800", "\x00"]), host="<!--")
        for number, name in enumerate(HOSTILE, 1):
            data = name if isinstance(name, bytes) else name.encode()
            maker.process(number, executable=name, arguments=data.replace(b"\0", b"") + b"\0", reason=name)
            maker.file(number, name, opens=1, final_path="/y" + "</script>")
            maker.add("mounts", mount=number, point=name, type=name, source=name, options=name)
            maker.add("profiles", process=number, function=name, calls=1, time_ns=1)
            maker.add("gaps", process=number, what=name, amount=1, unit=name, reason=name)
        log = maker.write(tmp_path / "a.hr")
        found = report(log)
        paths = found["tables"]["files"]["path"]
        for name in HOSTILE:
            text = "/x/invalid\\xff\\xfeutf8" if isinstance(name, bytes) else name
            assert text in paths
        page = (tmp_path / "written.html").read_bytes()
        assert page.count(b"<script") == page.count(b"</script>") == 1
        assert page.isascii()

    def test_impossible_figures(self, tmp_path: Path) -> None:
        """Clock steps, ends before starts, circles, figures of 64 bits."""
        most = (1 << 64) - 1
        maker = LogMaker(start_utc_ns=str(10**30), end_utc_ns="1", exit_status="many", command="7")
        maker.process(1, parent=2, start_at_ns=most, end_at_ns=1, rank=-(1 << 63), exit_status=(1 << 63) - 1)
        maker.process(2, parent=1, end_at_ns=5, start_at_ns=9, pid=most)
        record = maker.file(
            1, "/a", reads=most, bytes_read=most, read_ns=most, read_max_ns=most, flags=most,
            first_open_at_ns=most, last_close_at_ns=1, reads_unaligned_file=most, folded_files=most,
        )  # fmt: skip
        maker.file(2, "/a", reads=most, bytes_read=most, read_ns=most)
        maker.add("sizes", record=record, direction="read", bucket=most, count=most)
        maker.add("common", record=record, direction="read", what="size", value=-(1 << 63), count=most)
        maker.add("series", process=1, direction="read", start_at_ns=most, width_ns=most, bytes=most)
        maker.add("series", process=1, direction="metadata", start_at_ns=5, width_ns=0, bytes=0)
        maker.add("profiles", process=1, function="read", calls=most, time_ns=most, max_ns=most)
        log = maker.write(tmp_path / "a.hr")
        found = report(log)
        assert len(found["facts"]["rate"]["bytes_read"]) <= 2000
        for row in rows_of(found["tables"]["processes"]):
            assert row["run_ns"] >= 0
        assert headrace("show", log).returncode == 0

    def test_a_clock_that_was_set_back(self, tmp_path: Path) -> None:
        maker = LogMaker(end_utc_ns="1700000000000000000")
        maker.process(1, start_at_ns=10, end_at_ns=3_000_000)
        maker.file(1, "/f", reads=1, read_ns=5, first_read_at_ns=9, last_read_at_ns=4)
        maker.add("series", process=1, direction="read", start_at_ns=0, width_ns=10**6, bytes=9)
        found = report(maker.write(tmp_path / "a.hr"))
        assert found["facts"]["summary"]["job"]["run_ns"] == 3_000_000
        assert found["facts"]["rate"]["bytes_read"] == [9, 0, 0]

    def test_ten_million_operations(self, tmp_path: Path) -> None:
        maker = LogMaker()
        maker.process(1)
        record = maker.file(1, "/f", writes=10**7, bytes_written=8 * 10**7, write_ns=10**10, seeks=10**7)
        maker.add("sizes", record=record, direction="write", bucket=3, count=10**7)
        (row,) = rows_of(report(maker.write(tmp_path / "a.hr"))["tables"]["files"])
        assert (row["writes"], row["calls"]) == (10**7, 2 * 10**7)

    @pytest.mark.parametrize("place", [0.3, 0.6, 0.9])
    def test_cut_and_damaged_logs(self, tmp_path: Path, place: float) -> None:
        path = large(tmp_path / "a.hr", files=500)
        data = bytearray(path.read_bytes())
        damaged = bytearray(data)
        damaged[int(len(data) * place)] ^= 0xFF
        for content in (damaged, data[: int(len(data) * place)]):
            path.write_bytes(content)
            found = report(path)
            summary = found["facts"]["summary"]
            assert summary["damage"] or not summary["log"]["closed"]
            assert summary["job"]["complete"] != "yes"
            assert summary["damage"] == shown(path)["damage"]

    def test_logs_without_tables(self, tmp_path: Path) -> None:
        for table in ("files", "processes", "names", "profiles", "series", "sizes", "common", "mounts"):
            path = simulation(tmp_path / "whole.hr")
            with package.open(path) as log:
                tables = {name: log.raw(name).to_pydict() for name in log.native.tables() if name != table}
            package._native.write_tables(bytes(tmp_path / "a.hr"), tables)
            found = report(tmp_path / "a.hr")
            assert found["kind"] == "job", table

    def test_several_jobs_in_a_file(self, tmp_path: Path) -> None:
        one, two = LogMaker(), LogMaker(command='["second"]')
        both = b""
        for number, maker in enumerate((one, two), 1):
            maker.process(1)
            tables = {name: _columns(rows) for name, rows in maker.rows.items()}
            tables["job"] = {"key": list(maker.job), "value": list(maker.job.values())}
            package._native.write_tables(bytes(tmp_path / "part.hr"), tables, number)
            both += (tmp_path / "part.hr").read_bytes()
        log = tmp_path / "both.hr"
        log.write_bytes(both)
        run = headrace("report", log)
        assert run.returncode == 2
        assert "choose one by its number" in run.stderr
        assert report(log, "--job", "2")["facts"]["summary"]["job"]["command"] == ["second"]
        assert default_output("x/both.hr", 2) == "x/both-2.html"


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {key: [row[key] for row in rows] for key in rows[0]}


class TestCommand:
    def test_where_it_goes_and_what_is_said(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        from headrace.commands import main

        log = simulation(tmp_path / "a.hr")
        assert main(["report", str(log)]) == 0
        said = capsys.readouterr().out
        assert re.fullmatch(
            rf"{re.escape(str(tmp_path / 'a.html'))}: [\d.]+ KiB; open it in a browser\n", said
        )
        assert html.is_report(tmp_path / "a.html")

    def test_names_by_default(self) -> None:
        assert default_output("a.hr", None) == "a.html"
        assert default_output("dir.hr/log", None) == "dir.hr/log.html"
        assert default_output("job.2026.hr", 1) == "job.2026-1.html"

    def test_nothing_that_is_no_report_is_replaced(self, tmp_path: Path) -> None:
        log = simulation(tmp_path / "a.hr")
        (tmp_path / "a.html").write_text("my own")
        run = headrace("report", log)
        assert (run.returncode, run.stdout) == (4, "")
        assert "exists and is no report; --force" in run.stderr
        assert (tmp_path / "a.html").read_text() == "my own"

    def test_the_log_is_never_replaced(self, tmp_path: Path) -> None:
        log = simulation(tmp_path / "a.hr")
        before = log.read_bytes()
        for options in ([], ["--force"]):
            run = headrace("report", log, "-o", log, *options)
            assert run.returncode == 2
            assert "itself, which is read" in run.stderr
        assert log.read_bytes() == before

    def test_facts_for_programs(self, tmp_path: Path) -> None:
        log = simulation(tmp_path / "a.hr")
        run = headrace("report", log, "--json")
        assert run.returncode == 0
        assert json.loads(run.stdout) == report(log)["facts"]
        assert not (tmp_path / "a.html").exists()

    def test_what_is_loaded(self, tmp_path: Path) -> None:
        import subprocess
        import sys

        log = simulation(tmp_path / "a.hr")
        code = (
            "import sys, headrace.commands; headrace.commands.main(sys.argv[1:]);"
            "print([m for m in ('pyarrow', 'pandas', 'numpy', 'rich') if m in sys.modules], file=sys.stderr)"
        )
        command = [sys.executable, "-c", code, "report", str(log), "--json"]
        assert subprocess.run(command, capture_output=True, text=True).stderr == "[]\n"


def test_places_in_the_code_are_those_of_call_sites(tmp_path: Path) -> None:
    from headrace.analysis.call_sites import call_sites

    maker = LogMaker()
    records = []
    for process in (1, 2):
        maker.process(process)
        records += [maker.file(process, path, opens=1, meta_ns=9) for path in ("/a", "/b", "/c")]
    rows = [(0, "open", 7), (1, "open", 8), (3, "open", 8), (0, "slowest_read", 7), (4, "open", 7)]
    for place, what, stack in rows:
        maker.add("sites", record=records[place], what=what, stack=stack, time_ns=place, bytes=2 * place)
    for stack in (7, 8):
        maker.add("stacks", stack=stack, depth=0, module=0, offset=stack)
    log = maker.write(tmp_path / "a.hr")
    found = report(log)
    with package.open(log) as opened:
        expected = call_sites(opened)
    keys = ("what", "stack", "calls", "time_ns", "bytes", "frames")
    assert [[site[key] for key in keys] for site in found["facts"]["sites"]] == [
        [site[key] for key in keys] for site in expected.sites
    ]
    opened_at = {row["path"]: row["site"] for row in rows_of(found["tables"]["files"])}
    assert found["facts"]["sites"][opened_at["/b"]]["stack"].endswith("8")
    assert opened_at["/c"] == -1
    assert (opened_at["/a"], opened_at["/b"]) == (expected.open_of[records[0]], expected.open_of[records[1]])


@pytest.mark.soak
def test_a_million_files(tmp_path: Path) -> None:
    """Within memory that a laptop has; the 100,000 that matter and the sums of the rest."""
    import subprocess
    import sys

    log = large(tmp_path / "a.hr", files=1_000_000)
    code = (
        "import resource, sys; from headrace.commands import main;"
        "status = main(['report', sys.argv[1], '--json']);"
        "print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(log)], capture_output=True, text=True, timeout=600)
    status, kibibytes = map(int, run.stderr.split())
    assert status == 0
    assert kibibytes < 1_500_000
    facts = json.loads(run.stdout)
    assert facts["files_left_out"]["files"] == 900_000
    assert facts["summary"]["totals"]["files"] == facts["treemap"]["files"] == 1_000_000
