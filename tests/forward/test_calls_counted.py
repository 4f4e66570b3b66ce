"""How many calls to servers what programs do often takes."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from forward_tools import NATIVE, Server, Servers

CREATE = """
import os
for i in range(50):
    os.close(os.open(f"/fwd/{{i}}", os.O_CREAT | os.O_WRONLY{more}, 0o644))
"""

READ = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* argv[1] has argv[2] bytes, of which each is its place / 1000, in 8 bits. */
static void check(const char* piece, size_t size, long at) {
  for (size_t i = 0; i < size; ++i)
    if ((unsigned char)piece[i] != (unsigned char)((at + (long)i) / 1000)) exit(2);
}

int main(int count, char** values) {
  const long size = atol(values[2]);
  char piece[700];
  FILE* file = fopen(values[1], "r");
  if (count != 3 || file == NULL) return 1;
  long at = 0;
  for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0; at += (long)got) check(piece, got, at);
  if (at != size || !feof(file) || ftell(file) != size) return 3;
  for (int i = 0; i < 20; ++i) {
    at = (size / 20) * ((i * 7) % 20);
    if (fseek(file, at, SEEK_SET) != 0 || fread(piece, 1, sizeof piece, file) != sizeof piece) return 4;
    check(piece, sizeof piece, at);
    if (ftell(file) != at + (long)sizeof piece) return 5;
  }
  return fclose(file) == 0 ? 0 : 6;
}
"""


def calls(servers: list[Server]) -> Counter[str]:
    sum_ = Counter[str]()
    for server in servers:
        for name, value in server.metrics().items():
            if name.startswith("calls_total{"):
                sum_[name.split('"')[1]] += int(value)
    return sum_


def run(tmp_path: Path, servers: list[Server], *words: str | Path) -> Counter[str]:
    spec = f"/fwd={tmp_path / 'root'}@" + ",".join(each.addresses[0] for each in servers)
    before = calls(servers)
    command = [NATIVE, "run", "-q", "-o", tmp_path / "job.hr", "--forward", spec, "--", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return calls(servers) - before


@pytest.mark.parametrize("more", ["", " | os.O_TRUNC", " | os.O_EXCL"])
@pytest.mark.parametrize("count", [1, 3])
def test_a_file_is_made_with_one_call(tmp_path: Path, servers: Servers, count: int, more: str) -> None:
    (tmp_path / "root").mkdir()
    secret = servers.directory / "secret"
    started = [
        servers.start("--root", tmp_path / "root", "--secret", secret, name=f"s{i}", tcp=False)
        for i in range(count)
    ]
    done = run(tmp_path, started, sys.executable, "-c", CREATE.format(more=more))
    assert done["create"] == 50
    assert not {"getattr", "lookup", "commit", "resize", "setattr"} & {
        name for name, number in done.items() if number > 10
    }, done


def test_a_stream_that_reads_in_a_row_asks_for_more(tmp_path: Path, servers: Servers) -> None:
    size = 4_000_321
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a").write_bytes(
        b"".join(bytes([i % 256]) * 1000 for i in range(size // 1000 + 1))[:size]
    )
    source, program = tmp_path / "read.c", tmp_path / "read"
    source.write_text(READ)
    subprocess.run(["cc", "-O1", source, "-o", program], check=True, timeout=60)
    subprocess.run([program, tmp_path / "root" / "a", str(size)], check=True, timeout=60)
    done = run(
        tmp_path, [servers.start("--root", tmp_path / "root", tcp=False)], program, "/fwd/a", str(size)
    )
    assert done["read"] < 100
