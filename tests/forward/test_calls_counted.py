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
