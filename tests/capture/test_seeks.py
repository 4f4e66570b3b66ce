"""What seeks make a stream read counts as the kernel counts it, wherever they go."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured


@pytest.fixture(scope="session")
def seeks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("seeks") / "seeks"
    source = Path(__file__).parent / "c" / "seeks.c"
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-o", program, source], check=True)
    return program


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("mode", ["r", "r+", "w+"])
def test_bytes_are_those_of_the_kernel(
    mode: str, seed: int, seeks: Path, capture: Callable[..., Captured], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(20_000))
    command = [seeks, file, mode, str(seed)]
    told = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout
    file.write_bytes(bytes(20_000))
    done = capture(command)
    assert done.status == 0
    (row,) = done.files(layer="stdio", path=str(file))
    assert row["system_bytes_read"] == int(told)
