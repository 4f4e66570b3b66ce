"""What the log and the trace of a run say about the time that its calls waited for servers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from forward_tools import NATIVE, Place, Servers

DELAY_US, WRITES = 3000, 12
PROGRAM = f"""
import os
file = os.open("/fwd/a", os.O_RDWR | os.O_CREAT)
for i in range({WRITES}):
    assert os.pwrite(file, bytes(4096), i * 4096) == 4096
os.fsync(file)
assert len(os.pread(file, 99_999, 0)) == 4096 * {WRITES}
try:
    os.mkdir("/fwd/a")
except FileExistsError:
    pass
"""


def functions_of(log: Path) -> dict[str, dict[str, float]]:
    shown = subprocess.run(
        [NATIVE, "show", "--json", log], check=True, capture_output=True, text=True, timeout=60
    )
    rows = json.loads(shown.stdout)["functions"]
    return {row["function"]: row for row in rows if row["layer"] == "forward"}


def test_the_time_at_servers_is_told_by_its_parts(servers: Servers, tmp_path: Path) -> None:
    place = Place(servers, tmp_path, 0, "--trial", f"delay={DELAY_US}", "--write-through")
    place.more = ["--trace"]
    place.python(PROGRAM)
    rows = functions_of(place.log)
    for kind in ("read", "write", "commit", "metadata"):
        whole, queue, work = (rows[f"server_{kind}{part}"] for part in ("", "_queue", "_work"))
        assert whole["calls"] == queue["calls"] == work["calls"] > 0
        assert queue["time_ns"] + work["time_ns"] <= whole["time_ns"] + whole["calls"]
        assert whole["own_ns"] <= whole["time_ns"]
    writes = rows["server_write"]
    assert (writes["calls"], writes["bytes"], writes["errors"]) == (WRITES, 4096 * WRITES, 0)
    assert rows["server_write_work"]["time_ns"] >= WRITES * DELAY_US * 1000
    assert rows["server_read"]["bytes"] == 4096 * WRITES
    assert rows["server_metadata"]["errors"] == rows["server_metadata_work"]["errors"] == 1

    shown = subprocess.run(
        [NATIVE, "show", place.log], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    table = shown[shown.index("Forwarding servers:") :].splitlines()
    assert [line.split()[-1] for line in table[1:6]] == ["what", "read", "write", "commit", "metadata"]
    assert "at work in the servers" in " ".join(table[6:8])


def test_a_trace_has_what_servers_did_inside_of_the_calls(servers: Servers, tmp_path: Path) -> None:
    place = Place(servers, tmp_path, 0, "--trial", f"delay={DELAY_US}", "--write-through")
    place.more = ["--trace"]
    place.python(PROGRAM)
    trace = place.log.with_suffix(".trace.hr")
    stats = subprocess.run(
        [NATIVE, "trace", "stats", "--json", trace], check=True, capture_output=True, text=True, timeout=60
    )
    rows = {row["name"]: row for row in json.loads(stats.stdout)["functions"]}
    # What is not in the server is inside of the program's call alone.
    assert rows["pwrite"]["own_ns"] == rows["pwrite"]["time_ns"] - rows["server_write"]["time_ns"]
    nested = rows["server_write_queue"]["time_ns"] + rows["server_write_work"]["time_ns"]
    assert rows["server_write"]["own_ns"] == rows["server_write"]["time_ns"] - nested
    assert rows["server_write_work"]["own_ns"] >= WRITES * DELAY_US * 1000
    subprocess.run([NATIVE, "trace", "verify", trace], check=True, capture_output=True, timeout=60)


def test_data_that_waits_for_room_is_in_the_queue(servers: Servers, tmp_path: Path) -> None:
    slow = ["--memory", "16M", "--trial", "delay=20000", "--storage-threads", "1"]
    place = Place(servers, tmp_path, 0, *slow)
    place.python("""
with open("/fwd/a", "wb", buffering=0) as file:
    for i in range(64):
        file.write(bytes(1 << 20))
""")
    rows = functions_of(place.log)
    assert rows["server_write_queue"]["time_ns"] > rows["server_write_work"]["time_ns"]
    assert rows["server_commit_work"]["time_ns"] > rows["server_commit_queue"]["time_ns"]
