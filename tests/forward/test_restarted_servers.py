"""Servers that are started again, and messages that none of them takes."""

from __future__ import annotations

import subprocess
import sys
import time

from forward_tools import Place, Servers, until


def test_a_first_call_waits_for_a_server_that_is_started_again(servers: Servers, place: Place) -> None:
    servers.start("--root", place.root, name="other")  # makes the secret, so that both have one
    (place.root / "file").write_text("hello")
    program = place.start("sh", "-c", "echo ready; read line; exec cat /fwd/file")
    assert program.stdout is not None and program.stdin is not None
    assert program.stdout.readline() == "ready\n"
    assert place.server.end() == 0
    program.stdin.write("go\n")
    program.stdin.flush()
    time.sleep(0.5)
    servers.start_again(place.server)
    out, errors = program.communicate(timeout=30)
    assert (out, errors, program.returncode) == ("hello", "", 0)


def test_a_server_that_stays_away_is_an_error_once(place: Place) -> None:
    words, pipe = place.command("sh", "-c", "echo ready; read line; cat /fwd/file; echo $?"), subprocess.PIPE
    program = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert program.stdout is not None and program.stdin is not None
    assert program.stdout.readline() == "ready\n"
    place.server.end()
    out, errors = program.communicate("go\n", timeout=60)
    assert out == "1\n"
    assert "calls fail with EIO" in errors and "Input/output error" in errors


DEEP = """
import errno, os, shutil, time
begun = time.monotonic()
os.chdir("/fwd")
name, depth = "y" * 200, 0
try:
    while True:
        os.mkdir(name); os.chdir(name); depth += 1
except OSError as e: assert e.errno == errno.ENAMETOOLONG and depth > 15, (e, depth)
os.chdir("/fwd"); at = os.open(".", os.O_RDONLY); steps = 0
try:
    while True: at = os.open(name, os.O_RDONLY, dir_fd=at); steps += 1
except OSError as e: assert e.errno == errno.ENAMETOOLONG or steps == depth, (e, steps, depth)
os.chdir("/"); shutil.rmtree("/fwd/" + name)
assert os.listdir("/fwd") == []
assert time.monotonic() - begun < 5
"""


def test_paths_that_no_server_takes(place: Place) -> None:
    place.run(sys.executable, "-c", DEEP, patience=20)
    metrics = place.server.metrics()
    refused = {name: value for name, value in metrics.items() if "refused" in name}
    assert refused and not any(refused.values()), refused
    until(lambda: place.server.metrics()["connections"] <= 1)
