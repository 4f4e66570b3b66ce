"""Logs without names: nothing of any name is left anywhere, and every figure stays."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import headrace
import headrace._native
import pytest
from chunk_bytes import all_bytes
from commands import headrace as command
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_logs import START_NS, LogMaker, large, parallel, simulation
from report_reader import read_report

# In every generated name, so that what is found is no chance, and no word of Headrace's own.
MARK = b"Zq7"
COMPONENT = st.binary(max_size=12).map(lambda tail: MARK + tail.replace(b"/", b"").replace(b"\0", b""))
PATH = st.lists(COMPONENT, min_size=1, max_size=4).map(lambda parts: b"/" + b"/".join(parts))
HOSTILE = [
    MARK + b"<script>alert(1)</script>",
    MARK + b"\n\x1b[31m",
    MARK + b"\xff\xfe",
    MARK + "\u202e\u05e9".encode(),
    MARK + b"x" * 4000,
    MARK + b"~aaaaaaaaaaaa",
]


def anonymous(log: Path, *options: str) -> Path:
    target = log.with_name(f"anonymous-{log.name}")
    run = command("anonymize", log, "-o", target, *options)
    assert run.returncode == 0, run.stderr
    return target


def figures(facts: Any) -> Any:
    """Facts with their shape and numbers, but without their texts and what depends on the file itself."""
    if isinstance(facts, dict):
        own = {"log", "user_id"}
        return {key: figures(value) for key, value in facts.items() if key not in own}
    if isinstance(facts, list):
        return [figures(value) for value in facts]
    return "text" if isinstance(facts, str) else facts


def facts_of(log: Path, name: str = "show", *options: str) -> Any:
    run = command(name, log, "--json", *options)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def named_log(path: Path, names: list[bytes], text: bytes, number: str = "4711042") -> Path:
    """A log in which every text is made of names."""
    host, first, last = MARK + b"host", names[0], names[-1]
    word = text.decode("utf-8", "surrogateescape")
    log = LogMaker(
        command=json.dumps([first.decode("utf-8", "surrogateescape"), word]),
        host=host.decode(),
        user_id=number,
        working_directory=first.decode("utf-8", "surrogateescape"),
        complete=f"no: {MARK.decode()}secret is missing",
        spool_directory="/dev/shm/" + MARK.decode(),
        include=json.dumps(["/" + MARK.decode()]),
        unheard_of=MARK.decode(),
    )
    log.add("mounts", mount=5, point=last, type=b"fuse." + MARK, source=text, options=b"rw,user=" + MARK)
    log.process(
        1, executable=first, working_directory=last, host=host, arguments=first + b"\0" + text + b"\0",
        reason=MARK.decode() + " was cut",
    )  # fmt: skip
    for place, name in enumerate(dict.fromkeys(names)):
        record = log.file(
            1, name, final_path=name + b".new", writes=1 + place, bytes_written=10, write_ns=5, mount=5
        )
        log.add("sizes", record=record, direction="write", bucket=3, count=1)
        log.add("common", record=record, direction="write", what="size", value=10, count=1, exact=1)
    log.add("profiles", process=1, function="write", calls=1, errors=0, bytes=10, time_ns=5, max_ns=5)
    log.add("series", process=1, direction="write", start_at_ns=0, width_ns=9, bytes=10)
    log.add("gaps", process=1, what="processes", amount=2, unit="count", reason=text)
    log.add("diary", entry=MARK)
    for row in log.rows["gaps"]:
        row["unknown"] = MARK
    job = {
        "key": list(log.job),
        "value": [value.encode("utf-8", "surrogateescape") for value in log.job.values()],
    }
    log.rows["job"] = [
        {"key": key, "value": value} for key, value in zip(job["key"], job["value"], strict=True)
    ]
    return log.write(path)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(PATH, min_size=1, max_size=6), text=COMPONENT)
@example(names=[b"/" + name for name in HOSTILE], text=HOSTILE[0])
def test_no_name_is_left_in_a_log(tmp_path: Path, names: list[bytes], text: bytes) -> None:
    log = named_log(tmp_path / "a.hr", names, text)
    assert MARK in all_bytes(log)
    target = tmp_path / "b.hr"
    target.unlink(missing_ok=True)
    done = headrace._native.anonymize(bytes(log), bytes(target))
    left = all_bytes(target)
    assert MARK not in left
    assert b"4711042" not in left
    assert done["left_out"] == ["column 'unknown' of table 'gaps'", "fact 'unheard_of'", "table 'diary'"]
    with headrace.open(log) as before, headrace.open(target) as after:
        assert after.files["writes"].to_pylist() == before.files["writes"].to_pylist()
        paths = after.files["path"].to_pylist()
        assert len(set(paths)) == len(set(before.raw("files")["path"].to_pylist()))
        depth = [path.count(b"/") for path in before.raw("names")["text"].to_pylist()]
        assert [path.count(b"/") for path in after.raw("names")["text"].to_pylist()] == depth


def test_no_name_is_left_in_what_is_shown(tmp_path: Path) -> None:
    log = named_log(tmp_path / (MARK.decode() + ".hr"), [b"/" + name for name in HOSTILE], HOSTILE[0])
    mark = MARK.decode()
    for arguments in (
        ["show"],
        ["show", "--json"],
        ["show", "--by", "process"],
        ["show", "--by", "directory"],
    ):
        run = command(*arguments, "--anonymize", log)
        assert run.returncode == 0, run.stderr
        assert mark not in run.stdout
        assert "4711042" not in run.stdout
    for arguments in ([], ["--json"], ["--by", "directory"]):
        run = command("diff", *arguments, "--anonymize", log, log)
        assert run.returncode == 0, run.stderr
        assert mark not in run.stdout


def test_no_name_is_left_in_a_report(tmp_path: Path) -> None:
    log = named_log(tmp_path / "a.hr", [b"/" + name for name in HOSTILE], HOSTILE[0])
    page = tmp_path / "a.html"
    run = command("report", "--anonymize", log, "-o", page)
    if run.returncode == 5:
        pytest.skip("the page of reports was not built")
    data = page.read_bytes()
    payload = re.search(rb'id="headrace-data" type="application/octet-stream">([^<]+)<', data)
    assert payload is not None
    page_alone = data.replace(payload[1], b"")  # in whose base64 any three characters may stand by chance
    for text in (page_alone, gzip.decompress(b64decode(payload[1])), json.dumps(read_report(data)).encode()):
        assert MARK not in text
        assert b"4711042" not in text


@pytest.mark.parametrize("make", ["simulation", "large", "golden", "darshan"])
def test_every_figure_stays(tmp_path: Path, make: str) -> None:
    log = tmp_path / "a.hr"
    if make == "simulation":
        simulation(log)
    elif make == "large":
        large(log, files=3000)
    elif make == "darshan":
        darshan = tmp_path / "a.darshan"
        assert (
            command("convert", parallel(tmp_path / "p.hr"), "--to", "darshan", "-o", darshan).returncode == 0
        )
        assert command("convert", darshan, "-o", log).returncode == 0
    else:
        log.write_bytes((Path(__file__).parents[1] / "golden/job-v1.hr").read_bytes())
    copy = anonymous(log)
    for options in ([], ["--by", "process"], ["--by", "directory"], ["--sort", "calls", "--files", "100"]):
        expected = figures(facts_of(log, "show", *options))
        assert figures(facts_of(copy, "show", *options)) == expected
        assert figures(facts_of(log, "show", "--anonymize", *options)) == expected
    assert figures(facts_of(copy, "report")["summary"]) == figures(facts_of(log, "report")["summary"])


def test_columns_of_figures_are_the_same(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    copy = anonymous(log)
    kept = {"pid", "parent_pid", "rank", "exit_status", "captured", "bucket", "exact"}
    with headrace.open(log) as before, headrace.open(copy) as after:
        assert after.tables == before.tables
        for name in before.tables:
            if name in ("job", "names") or name not in before.native.tables():
                continue
            one, other = before.raw(name), after.raw(name)
            assert one.column_names == other.column_names
            for field in one.schema:
                meaning = {column["name"]: column for column in headrace._native.schema()[name]}[field.name]
                if meaning["unit"] != "none" or field.name in kept:
                    assert one[field.name].equals(other[field.name]), f"{name}.{field.name}"


def test_references_hold(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    with headrace.open(anonymous(log)) as opened:
        names = set(opened.raw("names")["name"].to_pylist())
        files, processes = opened.raw("files"), opened.raw("processes")
        for column in ("path", "final_path"):
            assert set(files[column].to_pylist()) <= names
        for column in ("host", "executable", "working_directory"):
            assert set(processes[column].to_pylist()) <= names
        assert set(files["process"].to_pylist()) <= set(processes["process"].to_pylist())
        assert set(opened.raw("sizes")["record"].to_pylist()) <= set(files["record"].to_pylist())
        assert set(files["mount"].to_pylist()) <= {*opened.raw("mounts")["mount"].to_pylist(), 0}
        parents = set(processes["parent"].to_pylist()) - {0}
        assert parents <= set(processes["process"].to_pylist())
        job = opened.job
        assert job["anonymized"] == "1"
        assert "user_id" not in job
        assert job["host"] == opened.processes["host"][0].as_py()


def test_tokens_are_stable_in_a_file_and_others_in_the_next(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    one, other = tmp_path / "1.hr", tmp_path / "2.hr"
    for target in (one, other):
        assert command("anonymize", log, "-o", target).returncode == 0
    with headrace.open(one) as first, headrace.open(other) as second:
        paths, others = (set(opened.files["path"].to_pylist()) for opened in (first, second))
        assert not paths & others - {"<stdout>"}
        directories = {path.rpartition("/")[0] for path in paths if path.endswith(".tmp")}
        assert len(directories) == 1
        ids = set(first.raw("files")["record"].to_pylist()) & set(second.raw("files")["record"].to_pylist())
        assert not ids


def test_what_every_system_has_stays(tmp_path: Path) -> None:
    log = LogMaker(complete="no: 2 processes still running")
    log.process(
        1, executable="/usr/bin/tool", reason="static: statically linked: no library can be loaded into it"
    )
    for path in ("/dev/shm/secret", "/tmp/secret", "/scratch/run/out.h5"):
        log.file(1, path, writes=1)
    with headrace.open(anonymous(log.write(tmp_path / "a.hr"))) as opened:
        shown = opened.files["path"].to_pylist()
        assert re.fullmatch(r"/dev/shm/~[a-z2-7]{12}", shown[0])
        assert re.fullmatch(r"/tmp/~[a-z2-7]{12}", shown[1])
        assert re.fullmatch(r"/~[a-z2-7]{12}/~[a-z2-7]{12}/~[a-z2-7]{12}\.h5", shown[2])
        assert opened.processes["executable"][0].as_py().startswith("/usr/bin/~")
        assert opened.processes["reason"][0].as_py().startswith("static: statically linked")
        assert opened.job["complete"] == "no: 2 processes still running"
        assert opened.job["start_utc_ns"] == START_NS


def test_a_damaged_log_stays_known_as_damaged(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    data = bytearray(log.read_bytes())
    data[data.index(b"sizes\0") + 200] ^= 0xFF
    log.write_bytes(data)
    target = tmp_path / "b.hr"
    run = command("anonymize", log, "-o", target)
    assert run.returncode == 0
    assert "damaged at byte" in run.stderr
    assert re.match(r"no: the log is damaged: \d+ bytes", facts_of(target)["job"]["complete"])
    shown = command("show", "--anonymize", log)
    assert shown.returncode == 0
    assert "log DAMAGED" in shown.stdout


def test_concatenated_jobs(tmp_path: Path) -> None:
    log = tmp_path / "two.hr"
    parts = [simulation(tmp_path / "a.hr"), simulation(tmp_path / "b.hr", processes=4)]
    log.write_bytes(b"".join(part.read_bytes() for part in parts))
    copy = anonymous(log)
    for number, part in enumerate(parts, 1):
        assert figures(facts_of(copy, "show", "--job", str(number))) == figures(facts_of(part))


def test_wrong_usage(tmp_path: Path) -> None:
    log = simulation(tmp_path / "a.hr")
    foreign, there = tmp_path / "foreign", tmp_path / "there"
    foreign.write_text("no log")
    there.write_text("something")
    assert command("anonymize", log).returncode == 2
    assert command("anonymize", foreign, "-o", tmp_path / "x.hr").returncode == 3
    assert command("anonymize", tmp_path / "missing.hr", "-o", tmp_path / "x.hr").returncode == 3
    assert command("anonymize", log, "-o", there).returncode == 4
    assert command("anonymize", log, "-o", tmp_path / "no" / "x.hr").returncode == 4
    assert command("anonymize", log, "-o", tmp_path).returncode == 4
    assert there.read_text() == "something"
    assert command("anonymize", log, "-o", there, "--force").returncode == 0
    assert command("anonymize", log, "-o", log, "--force").returncode == 2
    assert {path.name for path in tmp_path.iterdir()} == {"a.hr", "foreign", "there"}


def test_properties_and_datasets_of_a_parallel_job(tmp_path: Path) -> None:
    """What everybody's files have stays readable; what somebody chose does not."""
    maker = LogMaker()
    maker.process(1, rank=0, ranks=1, instance=5)
    record = maker.file(1, "/scratch/Zq7run/dump.h5", layer="hdf5", opens=1)
    maker.file(1, "/scratch/Zq7run/dump.h5:/Zq7rho", kind="dataset", layer="hdf5", writes=1, bytes_written=8)
    for key, value in {
        "hint_asked.cb_nodes": "4",
        "hint_asked.Zq7hint": "Zq7value",
        "hint_used.cb_config_list": "Zq7node:2",
        "lustre.osts": "3,17",
        "hdf5.filters": "shuffle,Zq7filter",
        "Zq7key": "/home/Zq7alice",
    }.items():
        maker.add("properties", process=1, record=record, key=key, value=value)
    new = anonymous(maker.write(tmp_path / "a.hr"))
    assert MARK not in all_bytes(new)
    with headrace.open(new) as log:
        rows = {row["key"]: row["value"] for row in log.table("properties").to_pylist()}
        records = {row["record"] for row in log.table("properties").to_pylist()}
        assert records <= {row["record"] for row in log.files.to_pylist()}
        assert {row["layer"] for row in log.files.to_pylist()} == {"hdf5"}
        assert {row["kind"] for row in log.files.to_pylist()} == {"file", "dataset"}
    assert rows["hint_asked.cb_nodes"] == "4"
    assert rows["lustre.osts"] == "3,17"
    assert rows["hdf5.filters"].startswith("shuffle,~")
    [file] = facts_of(new)["libraries"]["files"]
    assert file["layers"][0]["datasets"] == 1, "it still lies in its file"


def test_figures_of_a_parallel_job_stay(tmp_path: Path) -> None:
    log = parallel(tmp_path / "a.hr")
    assert figures(facts_of(log)) == figures(facts_of(anonymous(log)))
