"""<headrace/forward.h> in programs of C, against real servers."""

from __future__ import annotations

import json
import os
import shlex
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from forward_tools import NATIVE, Servers

PROGRAMS = Path(__file__).parent / "programs"
WRITERS = 16


def compiled(directory: Path, name: str, *flags: str) -> Path:
    prefix = NATIVE.parent.parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    words = ["pkg-config", "--cflags", "--libs", "headrace-forward"]
    found = subprocess.run(words, check=True, capture_output=True, text=True, env=environment).stdout
    program = directory / name
    source = PROGRAMS / f"{name}.c"
    common = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pthread", source, "-o", program]
    subprocess.run(["gcc", *common, *(flags or shlex.split(found))], check=True, timeout=60)
    return program


def test_every_call(servers: Servers, tmp_path: Path) -> None:
    program = compiled(tmp_path, "api")
    root = tmp_path / "root"
    root.mkdir()
    secret = servers.directory / "secret"
    addresses = [
        servers.start("--root", root, "--secret", secret, name=name, tcp=False).addresses[0] for name in "ab"
    ]
    spec = f"/api={root}@{','.join(addresses)}"
    environment = {name: value for name, value in os.environ.items() if name != "HEADRACE_SERVERS"}
    done = subprocess.run(
        [program, spec], capture_output=True, text=True, timeout=60, check=False, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in root.iterdir()) == ["large", "lists", "requests", "threads"]
    assert (root / "lists").read_bytes()[8:16] == bytes([28, 35, 42, 49, 0, 0, 0, 0])


def test_flags_for_linking(tmp_path: Path) -> None:
    words = [NATIVE, "config", "--ldflags-forward"]
    flags = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    words = [NATIVE, "config", "--cflags"]
    flags += subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    program = compiled(tmp_path, "api", *flags)
    assert subprocess.run([program], check=False, timeout=10).returncode == 2


def test_what_is_lost_is_told(servers: Servers, tmp_path: Path) -> None:
    source = tmp_path / "lost.c"
    source.write_text(LOST)
    root = tmp_path / "root"
    root.mkdir()
    server = servers.start("--root", root, "--trial", "fail-after=1000,error=28", tcp=False)
    flags = subprocess.run(
        [NATIVE, "config", "--ldflags-forward"], check=True, capture_output=True, text=True
    )
    include = subprocess.run([NATIVE, "config", "--cflags"], check=True, capture_output=True, text=True)
    program = tmp_path / "lost"
    words = ["gcc", source, "-o", program, *flags.stdout.split(), *include.stdout.split()]
    subprocess.run(words, check=True, timeout=60)
    done = subprocess.run(
        [program, f"{root}@{server.addresses[0]}"], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["-28", "1", "28", "5000", "0", "0"]


LOST = r"""
#include <fcntl.h>
#include <headrace/forward.h>
#include <stdio.h>

int main(int count, char** words) {
  static char bytes[5000];
  headrace_forward* servers;
  headrace_forward_file* file;
  headrace_forward_bad bad = {0, 0, 0};
  size_t found = 0;
  if (count < 2 || headrace_forward_connect(words[1], NULL, 0, &servers) != 0) return 1;
  if (headrace_forward_open(servers, "a", O_CREAT, 0666, &file) != 0) return 1;
  if (headrace_forward_pwrite(file, bytes, sizeof bytes, 0, 0) != sizeof bytes) return 1;
  const int error = headrace_forward_commit(file, 0, 0, 0, &bad, 1, &found);
  printf("%d %zu %d %d ", error, found, bad.error, (int)(bad.offset + bad.length));
  printf("%d ", headrace_forward_commit(file, 0, 0, 0, &bad, 1, &found));
  printf("%d\n", headrace_forward_close(file));
  headrace_forward_disconnect(servers);
  return 0;
}
"""


def records(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Offset, writer and number of each; what is none ends it with a failure."""
    at = 0
    while at < len(data):
        writer, number, length = struct.unpack_from("<III", data, at)
        byte = (writer * 31 + number) & 255
        assert length == (number * 2654435761 + writer * 40503) % 2**32 % 901
        assert data[at + 12 : at + 12 + length] == bytes([byte]) * length
        yield at, writer, number
        at += 12 + length


def append_by_all(tmp_path: Path, count: int, *placement: str) -> None:
    """No gap, no overlap, each writer's order, and every offset that was returned is right."""
    each = count // WRITERS
    program = compiled(tmp_path, "append_records")
    root = tmp_path / "root"
    root.mkdir()
    kinds = ["posix" if i % 2 else ("ahead" if i % 4 else "api") for i in range(WRITERS)]
    lines = [
        f'{program} /fwd/all {i} {each} {kind} {tmp_path}/{i} & all="$all $!"' for i, kind in enumerate(kinds)
    ]
    script = "\n".join(lines) + "\nbad=0; for each in $all; do wait $each || bad=1; done; exit $bad"
    report = tmp_path / "report"
    words = ["forward", "up", "-q", "--servers", "3", "--root", root, "--prefix", "/fwd", "--report", report]
    done = subprocess.run(
        [NATIVE, *words, *placement, "-o", tmp_path / "job.hr", "--", "sh", "-c", script],
        check=False,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(report.read_text())["all_stored"]
    places: list[list[int]] = [[] for _ in kinds]
    for at, writer, number in records((root / "all").read_bytes()):
        assert number == len(places[writer])
        places[writer].append(at)
    assert [len(list_) for list_ in places] == [each] * WRITERS
    for i, kind in enumerate(kinds):
        if kind != "posix":
            told = (tmp_path / str(i)).read_bytes()
            assert list(struct.unpack(f"<{each}q", told)) == places[i]


BY_STRIPE = ["--place", "stripe", "--stripe-size", "64K"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("count", "placement"), [(100_000, []), (4_000, BY_STRIPE)], ids=["file", "stripe"])
def test_appends_of_all_kinds_to_one_file(tmp_path: Path, count: int, placement: list[str]) -> None:
    append_by_all(tmp_path, count, *placement)


@pytest.mark.soak
@pytest.mark.timeout(1300)
@pytest.mark.parametrize("placement", [[], BY_STRIPE], ids=["file", "stripe"])
def test_a_million_appends_to_one_file(tmp_path: Path, placement: list[str]) -> None:
    append_by_all(tmp_path, 1_000_000, *placement)
