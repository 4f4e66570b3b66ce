"""Calls that must happen once, over a server that is killed while it does them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from forward_tools import Place, Servers

PREPARED = """
import os, sys
os.chdir("/fwd")
open("old", "w").write("old")
log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(log, b"first\\n")
open(sys.argv[1], "w").close()  # the next change kills the server
"""

# What is done once, and what is then true of /fwd.
CALLS = {
    "create": (
        'os.close(os.open("new", os.O_CREAT | os.O_EXCL | os.O_WRONLY))',
        'os.path.getsize("new") == 0',
    ),
    "mkdir": ('os.mkdir("new")', 'os.path.isdir("new")'),
    "symlink": ('os.symlink("old", "new")', 'os.readlink("new") == "old"'),
    "link": ('os.link("old", "new")', 'os.stat("old").st_nlink == 2'),
    "remove": ('os.unlink("old")', 'not os.path.exists("old")'),
    "rename": ('os.rename("old", "new")', 'open("new").read() == "old" and not os.path.exists("old")'),
    "rmdir": ('os.rmdir("empty")', 'not os.path.exists("empty")'),
    "append": (
        'os.write(log, b"second line\\n"); os.write(log, b"third\\n")',
        'open("log").read() == "first\\nsecond line\\nthird\\n"',
    ),
}


def run_over_a_killed_server(place: Place, servers: Servers, die: Path, program: str) -> None:
    """The program fails if a call does, and says so."""
    (place.root / "empty").mkdir(exist_ok=True)
    command = place.command(sys.executable, "-c", PREPARED + program, die, timeout=60)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert place.server.process.wait(60) == -9
        assert not die.exists()
        servers.start_again(place.server)
        _, said = running.communicate(timeout=60)
        assert running.returncode == 0, said


WAYS = [(call, through) for call in CALLS for through in (False, True) if call != "append" or through]


@pytest.mark.parametrize(("call", "through"), WAYS)
def test_a_call_happens_once(servers: Servers, tmp_path: Path, call: str, through: bool) -> None:
    """What a server holds is lost with it, and said: of appends this is true of those that are not held."""
    done, is_true = CALLS[call]
    die = tmp_path / "die"
    options = ["--write-through"] if through else []
    place = Place(servers, tmp_path, 1, "--trial", f"die-file={die}", *options)
    place.spec = f"/fwd={place.root}@{place.server.addresses[0]}"
    run_over_a_killed_server(place, servers, die, f"{done}\nassert {is_true}\n")
    left = servers.directory / "s0.calls"
    assert left.exists(), "as long as the server runs"
    assert left.stat().st_mode & 0o777 == 0o600
    place.server.end()
    assert not left.exists()


def test_a_file_that_was_there_is_still_in_the_way(servers: Servers, tmp_path: Path) -> None:
    """The server is killed before it could have made anything."""
    die = tmp_path / "die"
    place = Place(servers, tmp_path, 1, "--trial", f"die-file={die}", "--write-through")
    place.spec = f"/fwd={place.root}@{place.server.addresses[0]}"
    tried = """
try:
    os.mkdir("old")
except FileExistsError:
    sys.exit(0)
sys.exit("made over a file")
"""
    run_over_a_killed_server(place, servers, die, tried)
    assert (place.root / "old").read_text() == "old"


def test_appends_of_several_processes_keep_their_places(servers: Servers, tmp_path: Path) -> None:
    """One of them is killed in the middle of what it writes; the others go on behind it."""
    die = tmp_path / "die"
    place = Place(servers, tmp_path, 1, "--trial", f"die-file={die}", "--write-through")
    place.spec = f"/fwd={place.root}@{place.server.addresses[0]}"
    lines = """
for number in range(6):
    if os.fork() == 0:
        log = os.open("log", os.O_WRONLY | os.O_APPEND)
        for each in range(20):
            os.write(log, f"{number}:{each}:{'x' * 50}\\n".encode())
        os._exit(0)
while True:
    try:
        assert os.wait()[1] == 0
    except ChildProcessError:
        break
"""
    run_over_a_killed_server(place, servers, die, lines)
    found = (place.root / "log").read_text().splitlines()
    wanted = {f"{number}:{each}:{'x' * 50}" for number in range(6) for each in range(20)} | {"first"}
    assert len(found) == len(wanted)
    assert set(found) == wanted
    for number in range(6):
        own = [line for line in found if line.startswith(f"{number}:")]
        assert own == sorted(own, key=lambda line: int(line.split(":")[1]))


def test_one_of_several_that_make_a_name_wins(servers: Servers, tmp_path: Path) -> None:
    die = tmp_path / "die"
    place = Place(servers, tmp_path, 1, "--trial", f"die-file={die}", "--write-through")
    place.spec = f"/fwd={place.root}@{place.server.addresses[0]}"
    race = """
for number in range(8):
    if os.fork() == 0:
        try:
            os.mkdir("lock")
        except FileExistsError:
            os._exit(1)
        os._exit(0)
won = sum(os.wait()[1] == 0 for _ in range(8))
assert won == 1, won
"""
    run_over_a_killed_server(place, servers, die, race)
