"""Converted logs in every command of PyDarshan 3.5, and in Drishti: each runs and has Headrace's figures."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import headrace
import pytest
from commands import headrace as command
from made_darshan import MADE, pack
from made_logs import LogMaker

MIB = 1 << 20


def _ranks(maker: LogMaker, count: int = 2, **process: Any) -> None:
    for rank in range(count):
        maker.process(1 + rank, rank=rank, ranks=count, instance=7, **process)


def _moved(maker: LogMaker, process: int, direction: str, size: int, at_ns: int = 0) -> None:
    maker.add(
        "series", process=process, direction=direction, start_at_ns=at_ns, length_ns=10_000_000, bytes=size,
        calls=1,
    )  # fmt: skip


def _layers() -> LogMaker:
    """Every layer, a file of one rank and one of all, time lines and traces."""
    maker = LogMaker()
    _ranks(maker)
    for rank in (0, 1):
        row = maker.file(
            1 + rank, "/scratch/out", writes=3, bytes_written=3 * MIB, write_ns=5_000_000, opens=1,
            write_end=6 * MIB, write_max_ns=2_000_000, write_max_size=MIB, writes_consecutive=2, meta_ns=1000,
        )  # fmt: skip
        maker.add("sizes", record=row, direction="write", bucket=20, count=3)
        maker.add("common", record=row, direction="write", what="size", value=MIB, count=3, exact=1)
        for number in range(3):
            start = 20_000_000 * (number + 1)
            span = {"start_at_ns": start, "end_at_ns": start + 1_000_000}
            maker.add(
                "segments", process=1 + rank, record=row, layer="posix", direction="write",
                offset=(3 * rank + number) * MIB, bytes=MIB, **span,
            )  # fmt: skip
            _moved(maker, 1 + rank, "write", MIB, start)
        calls = {
            "writes": 3,
            "writes_collective": 3,
            "bytes_written": 3 * MIB,
            "opens": 1,
            "write_ns": 9_000_000,
        }
        maker.file(1 + rank, "/scratch/out", layer="mpiio", **calls)
    maker.file(1, "/scratch/log", layer="stdio", writes=7, bytes_written=560, write_ns=7000, opens=1)
    maker.file(2, "/scratch/in", reads=2, bytes_read=1000, read_ns=3000, opens=1)
    _moved(maker, 2, "read", 1000)
    for layer, name in (("hdf5", "/scratch/out.h5"), ("pnetcdf", "/scratch/out.nc")):
        maker.file(1, name, layer=layer, opens=1, meta_ns=500)
        maker.file(1, f"{name}:/x", "dataset", layer=layer, writes=1, bytes_written=8, write_ns=70)
    return maker


def _names_of_bytes() -> LogMaker:
    maker = LogMaker()
    maker.add("mounts", mount=5, point=b"/scr\xe9", type="lustre", source="m", options="rw")
    maker.process(1, host=b"n\xf6de", arguments=b"./a\xff\0b\0")
    maker.file(1, b"/scr\xe9/out", mount=5, writes=1, bytes_written=40, write_ns=5)
    _moved(maker, 1, "write", 40)
    return maker


def _long_command(shift: int) -> LogMaker:
    maker = LogMaker()
    maker.process(1, arguments=b"x" * shift + "./日本".encode() * 800 + b"\0", host="日本" * 20)
    row = maker.file(1, "/out", writes=1, bytes_written=40, write_ns=5)
    where = {"start_at_ns": 5, "end_at_ns": 1000, "offset": 0, "bytes": 40}
    maker.add("segments", process=1, record=row, layer="posix", direction="write", **where)
    return maker


def _no_command() -> LogMaker:
    maker = LogMaker()
    maker.process(1, arguments=b"", executable="")
    maker.file(1, "/out", writes=1, bytes_written=40, write_ns=5)
    return maker


def _empty_reads() -> LogMaker:
    """A time line in which nothing moved."""
    maker = LogMaker()
    maker.process(1)
    maker.file(1, "/in", reads=1, read_ns=5)
    _moved(maker, 1, "read", 0)
    return maker


def _all_ranks() -> LogMaker:
    """A process that stands for ranks: nobody knows which of them moved what when."""
    maker = LogMaker()
    maker.process(1, rank=-1, ranks=4, instance=7, reason="stands for all ranks")
    row = maker.file(1, "/out", writes=4, bytes_written=40, write_ns=500)
    _moved(maker, 1, "write", 40)
    where = {"start_at_ns": 5, "end_at_ns": 1000, "offset": 0, "bytes": 10}
    maker.add("segments", process=1, record=row, layer="posix", direction="write", **where)
    return maker


LOGS: dict[str, Callable[[], LogMaker]] = {
    "layers": _layers,
    "names of bytes": _names_of_bytes,
    "long command": lambda: _long_command(0),
    "longer command": lambda: _long_command(1),
    "no command": _no_command,
    "empty reads": _empty_reads,
    "all ranks": _all_ranks,
}
# As Darshan wrote them and as they come back out of a job log.
COPIES = ("3.1.3", "3.5.0", "autoperf")


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    directory = tmp_path_factory.mktemp("converted")

    def make(name: str) -> Path:
        path = directory / f"{name.replace(' ', '-')}.darshan"
        if not path.exists():
            source = path.with_suffix(".hr" if name in LOGS else ".made")
            if name in LOGS:
                LOGS[name]().write(source)
            else:
                source.write_bytes(pack(MADE[name]()))
            done = command("convert", source, "--to", "darshan", "-o", path)
            assert done.returncode == 0, done.stderr
        return path

    return make


@pytest.fixture(scope="module")
def answers(converted: Callable[[str], Path]) -> Callable[[str], dict[str, Any]]:
    known: dict[str, dict[str, Any]] = {}

    def ask(name: str) -> dict[str, Any]:
        if name not in known:
            path = converted(name)
            program = Path(__file__).with_name("peer_commands.py")
            words = [sys.executable, program, path, path.with_suffix(".html")]
            environment = {"PATH": "/usr/bin:/bin", "MPLBACKEND": "agg", "COLUMNS": "300"}
            run = subprocess.run(words, capture_output=True, text=True, timeout=240, env=environment)
            assert run.returncode == 0, run.stderr
            known[name] = json.loads(run.stdout)
        return known[name]

    return ask


@pytest.mark.parametrize("name", [*LOGS, *COPIES])
def test_every_command_of_pydarshan_runs(name: str, answers: Callable[[str], dict[str, Any]]) -> None:
    found = answers(name)
    assert found["unasked"] == [], "a newer PyDarshan has more commands"
    failed = {words: each["error"] for words, each in found.items() if isinstance(each, dict)}
    assert failed == {}


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _figures(rows: list[dict[str, str]]) -> dict[str, tuple[int, ...]]:
    columns = ("bytes_read", "bytes_written", "reads", "writes")
    return {row["file"]: tuple(int(float(row[column])) for column in columns) for row in rows}


def _ours(path: Path, layer: str) -> dict[str, tuple[int, ...]]:
    with headrace.open(path) as log:
        files = log.files.to_pandas()
    files = files[files["kind"] != "dataset"].fillna({"layer": ""})
    columns = ["bytes_read", "bytes_written", "reads", "writes"]
    sums = files[files["layer"].replace("", "posix") == layer].groupby("path")[columns].sum()
    return {name: tuple(int(row[column]) for column in columns) for name, row in sums.iterrows()}


@pytest.mark.parametrize(("module", "layer"), [("POSIX", "posix"), ("MPI-IO", "mpiio"), ("STDIO", "stdio")])
def test_its_tables_have_our_figures(
    module: str, layer: str, answers: Callable[[str], dict[str, Any]], converted: Callable[[str], Path]
) -> None:
    found = answers("layers")
    wanted = _ours(converted("layers").with_suffix(".hr"), layer)
    assert wanted
    assert _figures(_rows(found[f"file_stats --csv --module {module}"])) == wanted
    job = _rows(found[f"job_stats --csv --module {module}"])[0]
    assert int(float(job["total_bytes"])) == sum(read + written for read, written, *_ in wanted.values())
    assert int(job["total_files"]) == len(wanted)
    assert int(job["nprocs"]) == 2
    assert float(job["run_time"]) == pytest.approx(2.0)


def test_its_texts_have_our_names(answers: Callable[[str], dict[str, Any]]) -> None:
    found = answers("layers")
    for name in ("/scratch/out", "/scratch/log", "/scratch/out.h5:/x", "/scratch/out.nc"):
        assert f"=> {name}\n" in found["name_records"]
    report = json.loads(found["to_json"])
    assert {"POSIX", "MPI-IO", "STDIO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR"} <= set(report["modules"])
    assert "./simulate --steps 10" in found["info"]


def test_bytes_that_are_no_text_are_escaped(answers: Callable[[str], dict[str, Any]]) -> None:
    found = answers("names of bytes")
    assert "=> /scr\\xe9/out\n" in found["name_records"]
    assert "./a\\xff b" in found["info"]


def test_its_summary_has_our_figures(
    answers: Callable[[str], dict[str, Any]], converted: Callable[[str], Path]
) -> None:
    assert isinstance(answers("layers")["summary --enable_dxt_heatmap --output"], str)
    page = converted("layers").with_suffix(".html").read_text(encoding="utf-8")
    assert page.count("HEATMAP POSIX") > 0
    assert page.count("DXT_POSIX") > 0
    for figure in ("6.00 MiB", "1000 Bytes", "560 Bytes"):
        assert figure in page, figure


def test_what_no_rank_is_known_of_is_told(tmp_path: Path) -> None:
    log = _all_ranks().write(tmp_path / "job.hr")
    done = command("convert", log, "--to", "darshan", "-o", tmp_path / "job.darshan")
    assert done.returncode == 0
    assert "40 B whose rank is not known have none" in done.stderr


@pytest.mark.parametrize("name", [*LOGS, *COPIES])
def test_drishti_runs_with_every_option(name: str, converted: Callable[[str], Path], tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "drishti"
    outputs = ["--html", "--svg", "--csv", "--export_dir", tmp_path]
    words = ["--issues", "--verbose", "--threshold", "--code", "--path", "--light", "--size", "200"]
    run = subprocess.run(
        [program, *words, *outputs, converted(name)],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": "", "HOME": str(tmp_path)},
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    assert {path.suffix for path in tmp_path.iterdir()} == {".html", ".svg", ".csv"}
