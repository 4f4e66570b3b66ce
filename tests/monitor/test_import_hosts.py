"""`headrace monitor import` of hosts with every kind of name, and of what is no file of samples."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from headrace import samples

HEADRACE = Path(sys.executable).parent / "headrace"


def imported(*words: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    command = [str(HEADRACE), "monitor", "import", *map(str, words)]
    memory = (4 << 30, 4 << 30)
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, memory),
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def sysstat(*hosts: str) -> str:
    disk = {"disk_device": "sda", "r/s": 1.0, "w/s": 0.0, "rkB/s": 4.0, "wkB/s": 0.0, "util": 1.0}
    records = [{"timestamp": f"2026-11-24T12:0{minute}:00+0000", "disk": [disk]} for minute in range(3)]
    return json.dumps({"sysstat": {"hosts": [{"nodename": host, "statistics": records} for host in hosts]}})


def test_hosts_whose_names_look_alike_are_kept_apart(tmp_path: Path) -> None:
    hosts = ["oss 1", "oss_1", "oss/1", "\N{SNOWMAN}", "\u00f6", ".oss1", "oss1", "..", ".", "x" * 255]
    (tmp_path / "io.json").write_text(sysstat(*hosts))
    for _ in range(2):  # what is imported again is replaced
        imported(tmp_path / "io.json", "-o", tmp_path / "s")
        found = samples.read(tmp_path / "s")["samples"]["host"].to_pylist()
        assert sorted(found) == sorted(hosts * 2)
    assert {"oss_1", "oss1"} < {path.name for path in (tmp_path / "s").iterdir()}


def test_names_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text(sysstat("oss\ud800"))
    (tmp_path / "disk.json").write_text(sysstat("oss1").replace('"sda"', '"sda\\udc00"'))
    done = imported(*sorted(tmp_path.glob("*.json")), "-o", tmp_path / "s", status=3)
    assert "host.json: a host of sysstat needs its 'nodename'" in done.stderr
    assert "disk.json: record 2: a disk has no name that is text" in done.stderr


def test_devices_and_pipes(tmp_path: Path) -> None:
    """A device has no end; of a pipe all is read."""
    done = imported("/dev/zero", "/dev/null", tmp_path, "-o", tmp_path / "s", status=3)
    assert "/dev/zero: neither JSON of iostat or sadf nor CSV of LDMS" in done.stderr
    assert "/dev/null: neither JSON" in done.stderr
    assert f"{tmp_path}: cannot be read: Is a directory" in done.stderr
    assert not (tmp_path / "s").exists()
    script = f"printf %s '{sysstat('oss1')}' | '{HEADRACE}' monitor import /dev/stdin -o '{tmp_path}/s'"
    subprocess.run(["sh", "-c", script], check=True, timeout=60)
    assert samples.read(tmp_path / "s")["samples"].num_rows == 2


def test_files_that_are_too_large(tmp_path: Path) -> None:
    with (tmp_path / "large.json").open("wb") as file:
        file.write(sysstat("oss1").encode())
        file.truncate((2 << 30) + 1)
    done = imported(tmp_path / "large.json", "-o", tmp_path / "s", status=3)
    assert "large.json: " in done.stderr and "split it" in done.stderr


@pytest.mark.parametrize("name", ["loop", "x" * 300, "file/below"])
def test_names_that_lead_nowhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("")
    done = imported(tmp_path / name, "-o", tmp_path / "s", status=3)
    assert f"{tmp_path / name}: cannot be read: " in done.stderr
