"""Reports of programs that count what they do: the figures are the programs' own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from capture_tools import run
from report_reader import read_report, rows_of, stand_in

PROGRAM = """
import json, os
did = {"calls": {}, "bytes": {}}
def count(path, way, moved):
    key = f"{os.path.realpath(path)} {way}"
    did["calls"][key] = did["calls"].get(key, 0) + 1
    did["bytes"][key] = did["bytes"].get(key, 0) + moved
for number in range(40):
    path = f"file{number % 20}"
    fd = os.open(path, os.O_CREAT | os.O_RDWR)
    for block in range(number + 1):
        count(path, "write", os.pwrite(fd, b"w" * (100 + number), block * 8192))
    for block in range(number):
        count(path, "read", len(os.pread(fd, 64, block * 4096)))
    os.close(fd)
    if os.fork() == 0:
        os.stat(path)
        os._exit(0)
    os.wait()
with open(os.environ["TRUTH"], "w") as file:
    json.dump(did, file)
"""

WRITE = (
    "import sys, headrace; from pathlib import Path; from headrace.reports import html;"
    "html.TEMPLATE = Path(sys.argv[3]); headrace.report(sys.argv[1], sys.argv[2])"
)


def test_the_figures_are_those_that_the_program_counted(tmp_path: Path) -> None:
    truth = tmp_path / "truth.json"
    script = f"import os; os.environ['TRUTH'] = {str(truth)!r}\n{PROGRAM}"
    done = run([sys.executable, "-c", script], tmp_path / "a.hr", cwd=tmp_path)
    assert done.status == 0, done.stderr
    did = json.loads(truth.read_text())
    command = [sys.executable, "-c", WRITE, str(done.path), str(tmp_path / "a.html"), str(stand_in(tmp_path))]
    subprocess.run(command, check=True, timeout=120)
    found = read_report(tmp_path / "a.html")
    files = {row["path"]: row for row in rows_of(found["tables"]["files"])}
    for key, calls in did["calls"].items():
        path, way = key.rsplit(" ", 1)
        row = files[path]
        assert row[f"{way}s"] == calls, key
        assert row["bytes_read" if way == "read" else "bytes_written"] == did["bytes"][key], key
        assert row[f"{way}_ns"] > 0
        assert 0 < row["first_at_ns"] < row["last_at_ns"] <= found["facts"]["summary"]["job"]["run_ns"]
    assert files[str(tmp_path.resolve() / "file0")]["opens"] == 2
    functions = {row["function"]: row["calls"] for row in found["facts"]["functions"]}
    assert functions["pwrite"] == sum(range(1, 41))
    assert functions["pread"] == sum(range(40))
    processes = rows_of(found["tables"]["processes"])
    assert sum(row["ended"] == "exit" for row in processes) >= 41
    assert (
        sum(row["bytes_written"] for row in processes)
        == found["facts"]["summary"]["totals"]["write"]["bytes"]
    )
    rate = found["facts"]["rate"]
    assert sum(rate["bytes_written"]) >= found["facts"]["summary"]["totals"]["write"]["bytes"]


def test_a_log_of_a_job_that_still_runs(tmp_path: Path) -> None:
    """What its writer has put there so far, and that there may be more."""
    done = run([sys.executable, "-c", "open('x', 'w').write('y')"], tmp_path / "a.hr", cwd=tmp_path)
    whole = done.path.read_bytes()
    growing = tmp_path / "growing.hr"
    for part in (len(whole) // 2, len(whole) - 40):
        growing.write_bytes(whole[:part])
        command = [sys.executable, "-m", "headrace", "report", str(growing), "--json"]
        summary = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)[
            "summary"
        ]
        assert not summary["log"]["closed"]
        assert summary["job"]["complete"] != "yes"
