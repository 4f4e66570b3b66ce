"""What a server that holds writes promises to the processes that make them."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from forward_tools import Place, Server, Servers, until

ROOT = Path(__file__).parents[2]
MB = 1 << 20


def burst(server: Server, name: str, total: int, *words: str, clients: int = 4) -> subprocess.Popen[str]:
    """Processes that write one file, each its own letters in every so many-th 4,096 bytes."""
    (program,) = ROOT.glob("build/release/src/forward/client/forward_burst")
    command = [program, server.addresses[0], name, str(clients), "4096", str(total), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ends(process: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = process.communicate(timeout=60)
    return process.returncode, said


def expected(total: int, clients: int = 4) -> bytes:
    return b"".join(b"%c" % (97 + i % clients) * 4096 for i in range(total // 4096))


def test_many_processes_get_few_writes_and_all_their_bytes(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path)
    assert ends(burst(server, "f", 8 * MB))[0] == 0
    assert (tmp_path / "f").read_bytes() == expected(8 * MB)
    metrics = server.metrics()
    assert metrics["flushed_bytes_total"] == 8 * MB and metrics["held_bytes"] == 0
    assert metrics["flush_writes_total"] < 200
    assert "flushed: 8 MiB in" in server.status()
    assert server.end() == 0


def test_what_killed_clients_wrote_is_stored(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path, "--flush-age", "50")
    assert ends(burst(server, "f", MB // 2, "leave"))[0] == 0
    until(lambda: server.metrics()["held_bytes"] == 0)
    assert (tmp_path / "f").read_bytes() == expected(MB // 2)


def test_a_server_that_is_told_to_end_stores_what_it_holds(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path, "--flush-age", "3600000")
    assert ends(burst(server, "f", MB // 2, "leave"))[0] == 0
    assert server.metrics()["held_bytes"] > 0 and server.metrics()["held_seconds"] > 0
    assert (tmp_path / "f").stat().st_size == 0
    assert server.end() == 0
    assert (tmp_path / "f").read_bytes() == expected(MB // 2)


def test_who_wrote_to_a_server_that_was_killed_is_told(servers: Servers, tmp_path: Path) -> None:
    root, now = tmp_path / "root", tmp_path / "now"
    root.mkdir()
    server = servers.start("--root", root, "--flush-age", "3600000")
    writers = burst(server, "f", MB // 2, f"wait={now}")
    until(lambda: server.metrics()["held_bytes"] == MB // 2)
    server.end(signal.SIGKILL)
    servers.start("--root", root)
    now.touch()
    code, said = ends(writers)
    assert code == 1 and "4 of 4 failed" in said and said.count("lost 0 0 Input/output error") == 4


@pytest.mark.parametrize("tcp", [False, True])
def test_who_wrote_to_a_server_that_stored_all_before_it_ended_is_told_nothing(
    servers: Servers, tmp_path: Path, tcp: bool
) -> None:
    # Without a secret of the job each start has one of its own, and knows no handle of before.
    place = Place(servers, tmp_path, int(tcp), "--secret", servers.directory / "secret")
    program = """
import os, sys, time
file = os.open("/fwd/f", os.O_RDWR | os.O_CREAT)
for part in range(3):
    os.pwrite(file, bytes([65 + part]) * 300_000, part * 300_000)
    print(part, flush=True)
    sys.stdin.readline()
    if part == 1: os.fsync(file)
assert os.pread(file, 900_000, 0) == b"A" * 300_000 + b"B" * 300_000 + b"C" * 300_000
os.fsync(file)
os.close(file)
"""
    with place.start(sys.executable, "-c", program) as run:
        assert run.stdin is not None and run.stdout is not None
        for part in range(3):
            assert run.stdout.readline() == f"{part}\n"
            assert place.server.end() == 0
            servers.start_again(place.server)
            run.stdin.write("\n")
            run.stdin.flush()
        _, said = run.communicate(timeout=60)
        assert run.returncode == 0, said
    assert (place.root / "f").stat().st_size == 900_000


def test_who_lost_something_is_told_also_by_the_next_server(servers: Servers, tmp_path: Path) -> None:
    root, now = tmp_path / "root", tmp_path / "now"
    root.mkdir()
    server = servers.start("--root", root, "--flush-age", "3600000", "--trial", "fail-after=300K,error=122")
    writers = burst(server, "f", MB // 2, f"wait={now}")
    until(lambda: server.metrics()["held_bytes"] >= MB // 2)
    assert server.end() == 1
    servers.start("--root", root)
    now.touch()
    code, said = ends(writers)
    assert code == 1 and "Input/output error" in said


def test_it_says_at_the_end_what_it_could_not_store(servers: Servers, tmp_path: Path) -> None:
    server = servers.start(
        "--root", tmp_path, "--flush-age", "3600000", "--trial", "fail-after=300K,error=122"
    )
    assert ends(burst(server, "f", MB // 2, "leave"))[0] == 0
    assert server.end() == 1
    assert server.process.stderr is not None
    said = server.process.stderr.read()
    assert f"{MB // 2 - 300 * 1024} bytes from {300 * 1024} are not stored: Disk quota exceeded" in said


def test_a_full_disk_is_told_to_those_who_wrote(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path, "--trial", "fail-after=1M")
    code, said = ends(burst(server, "f", 2 * MB))
    assert code == 1 and "4 of 4 failed" in said
    lost = sum(int(line.split()[2]) for line in said.splitlines() if line.startswith("lost"))
    assert lost >= MB and "No space left on device" in said
    assert server.metrics()["lost_bytes_total"] == MB
    assert "not stored: 1048576 bytes" in server.status()
    assert server.end() == 0  # everybody knows


def test_writers_wait_for_a_stopped_disk_and_lose_nothing(servers: Servers, tmp_path: Path) -> None:
    root, stop = tmp_path / "root", tmp_path / "stop"
    root.mkdir()
    stop.touch()
    server = servers.start("--root", root, "--memory", "16M", "--trial", f"stop-file={stop}")
    writers = burst(server, "f", 24 * MB)
    until(lambda: server.metrics()["waited_writes_total"] >= 4)
    metrics = server.metrics()
    assert metrics["memory_most_bytes"] <= 16 * MB and metrics["held_bytes"] > MB
    assert writers.poll() is None
    stop.unlink()
    assert ends(writers)[0] == 0
    assert (root / "f").read_bytes() == expected(24 * MB)
    assert server.metrics()["memory_most_bytes"] <= 16 * MB


def test_a_second_signal_ends_it_at_once(servers: Servers, tmp_path: Path) -> None:
    root, stop = tmp_path / "root", tmp_path / "stop"
    root.mkdir()
    stop.touch()
    server = servers.start("--root", root, "--trial", f"stop-file={stop}")
    assert ends(burst(server, "f", MB // 2, "leave"))[0] == 0
    server.process.send_signal(signal.SIGTERM)
    until(lambda: not Path(server.addresses[0].removeprefix("unix:")).exists())
    assert server.end() == 1
    assert server.process.stderr is not None and "ended at once" in server.process.stderr.read()


def test_written_through_nothing_is_held(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--root", tmp_path, "--write-through")
    assert ends(burst(server, "f", MB // 2, "leave"))[0] == 0
    assert (tmp_path / "f").read_bytes() == expected(MB // 2)
    assert server.metrics()["flushed_bytes_total"] == 0


GOES_ON = """
import os, sys, time
a, b = (os.open(f"/fwd/{name}", os.O_RDWR | os.O_CREAT) for name in "ab")
os.write(a, b"held"), os.write(b, b"held")
print("written", flush=True)
sys.stdin.readline()
try: os.fstat(a); raise SystemExit("somebody answers")
except OSError as e: assert e.errno == 5, e
print("gave up", flush=True)
sys.stdin.readline()
while True:
    try: os.stat("/fwd"); break
    except OSError: time.sleep(0.05)
for each in (os.fsync, os.close):
    try: each(b if each is os.close else a); raise SystemExit(f"{each} has lost nothing")
    except OSError as e: assert e.errno == 5, e
"""


def test_a_program_that_gave_up_a_killed_server_is_told_what_it_lost(
    servers: Servers, tmp_path: Path
) -> None:
    place = Place(servers, tmp_path, 1, "--flush-age", "60000")
    place.spec = f"/fwd={place.root}@{place.server.addresses[0]}"
    command, pipe = place.command(sys.executable, "-c", GOES_ON, timeout=1), subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdin is not None and program.stdout is not None
        assert program.stdout.readline() == "written\n"
        place.server.end(signal.SIGKILL)
        program.stdin.write("go\n")
        program.stdin.flush()
        assert program.stdout.readline() == "gave up\n"
        (servers.directory / "s0").unlink(missing_ok=True)
        servers.start("--root", place.root, name="s0")
        _, said = program.communicate("go\n", timeout=30)
    assert program.returncode == 0, said
