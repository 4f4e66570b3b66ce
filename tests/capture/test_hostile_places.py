"""Places that are full, missing, limited or taken away: the program runs on, the log says what it lacks."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from capture_tools import COMMAND, Captured, Mix, amount_of, check

IN_MOUNT_NAMESPACE = ["unshare", "-m", "sh", "-c"]


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Path]:
    """A directory for spools that must be empty afterwards."""
    directory = tmp_path / "spool"
    directory.mkdir()
    yield directory
    assert not list(directory.iterdir()), "litter"


def namespace_works() -> bool:
    return subprocess.run([*IN_MOUNT_NAMESPACE, "true"], check=False, capture_output=True).returncode == 0


def filled_by_a_shell(directory: Path, left: int, command: list[str]) -> list[str]:
    """Runs the command once all but `left` KiB of the file system are used; then gives the memory back."""
    filler = directory / "filler"
    script = (
        f"head -c 30M /dev/zero > {filler} 2>/dev/null; truncate -s -{left}K {filler}; "
        f'"$@"; status=$?; rm {filler}; exit $status'
    )
    return ["sh", "-c", script, "sh", *command]


def test_spool_directory_fills_up(
    mix: Callable[..., Mix], capture: Callable[..., Captured], small_tmpfs: Callable[[str], Path]
) -> None:
    made = mix(rows=4, files=2000)
    place = small_tmpfs("16M")
    command = made.command(threads=4, operations=4000, end="exit")
    captured = capture(filled_by_a_shell(place, 260, command), "--spool", str(place))
    assert captured.status == 3
    seen = check(made, captured)
    assert seen["folded"] > 0
    assert amount_of(seen["gaps"], "spool growth", "processes") >= 1


def test_spool_directory_is_full(
    mix: Callable[..., Mix], capture: Callable[..., Captured], small_tmpfs: Callable[[str], Path]
) -> None:
    made = mix(rows=1, files=10)
    place = small_tmpfs("16M")
    command = made.command(operations=500, end="exit")
    captured = capture(filled_by_a_shell(place, 8, command), "--spool", str(place))
    assert captured.status == 3
    lost = [row for row in captured.rows("processes") if not row["captured"]]
    assert any("full" in row["reason"] for row in lost)
    assert amount_of(captured.rows("gaps"), "process", "processes") == len(lost)


@pytest.mark.skipif(not namespace_works(), reason="mount namespaces are not allowed here")
def test_small_shared_memory_and_256_processes(
    mix: Callable[..., Mix], capture: Callable[..., Captured]
) -> None:
    made = mix(rows=256, files=5000, dirs=10)
    captured = capture(
        made.command(processes=256, operations=1500, open=4, end="_exit"),
        prefix=[*IN_MOUNT_NAMESPACE, 'mount -t tmpfs -o size=64M none /dev/shm && exec "$@"', "sh"],
    )
    assert captured.status == 4
    seen = check(made, captured)
    assert len({row["pid"] for row in seen["processes"]}) == 256
    lost = [row for row in seen["processes"] if not row["captured"]]
    assert all("full" in row["reason"] for row in lost)
    assert amount_of(seen["gaps"], "process", "processes") == len(lost)


@pytest.mark.skipif(not namespace_works(), reason="mount namespaces are not allowed here")
@pytest.mark.parametrize(
    "how", ["mount -t tmpfs -o size=64M,ro none /dev/shm", "mount -t proc none /dev/shm"]
)
def test_no_shared_memory(how: str, mix: Callable[..., Mix], capture: Callable[..., Captured]) -> None:
    made = mix(rows=1, files=10)
    captured = capture(
        made.command(operations=500, end="exit"), prefix=[*IN_MOUNT_NAMESPACE, f'{how} && exec "$@"', "sh"]
    )
    assert captured.status == 3
    assert check(made, captured)["processes"][0]["captured"]


LIMITS = {
    "20 descriptors": "ulimit -n 20",
    "files of 128 KiB": "ulimit -f 256",
    "address space": "ulimit -v 40000",
    "closed streams": "exec <&- >&- 2>&-",
    "no home": "unset HOME TMPDIR",
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name: str, mix: Callable[..., Mix], capture: Callable[..., Captured], spool: Path) -> None:
    made = mix(rows=1, files=3000)
    command = made.command(operations=12_000, size=2000, end="exit")
    captured = capture(["sh", "-c", f'{LIMITS[name]}; exec "$@"', "sh", *command], "--spool", str(spool))
    assert captured.status == 3, captured.stderr
    assert (captured.stdout, captured.stderr) == (b"", b"")
    seen = check(made, captured)
    assert seen["unfinished"] == 0
    last = max(seen["processes"], key=lambda row: row["start_at_ns"])
    assert last["captured"]
    assert last["arguments"][0] == command[0]
    if name == "files of 128 KiB":
        assert amount_of(seen["gaps"], "spool growth", "processes") >= 1


def test_no_address_space_for_capture(
    mix: Callable[..., Mix], capture: Callable[..., Captured], spool: Path
) -> None:
    made = mix(rows=1, files=30)
    command = made.command(operations=1000, size=2000, end="exit")
    captured = capture(["sh", "-c", 'ulimit -v 12000; exec "$@"', "sh", *command], "--spool", str(spool))
    assert captured.status == 3, captured.stderr
    assert captured.stderr == b""
    assert captured.rows("gaps"), "nothing says that the program was not captured"


def test_read_only_working_directory(mix: Callable[..., Mix], capture: Callable[..., Captured]) -> None:
    made = mix(rows=1, files=30)
    captured = capture(made.command(operations=500, end="exit"), cwd="/proc")
    assert captured.status == 3
    check(made, captured)


def test_spool_directory_is_deleted(
    mix: Callable[..., Mix], capture: Callable[..., Captured], spool: Path
) -> None:
    made = mix(rows=1, files=30)
    command = made.command(operations=500, end="exit")
    captured = capture(
        ["sh", "-c", f'rm -rf {spool}/*; "$@"; exit $?', "sh", *command], "--spool", str(spool)
    )
    assert captured.status == 3
    assert captured.rows("gaps"), "nothing says that records were lost"


def test_off(mix: Callable[..., Mix], tmp_path: Path) -> None:
    made = mix(rows=1, files=30)
    command = [
        COMMAND,
        "run",
        "-o",
        str(tmp_path / "job.hr"),
        "--",
        *made.command(operations=500, end="exit"),
    ]
    done = subprocess.run(command, env={**os.environ, "HEADRACE": "off"}, check=False, capture_output=True)
    assert (done.returncode, done.stdout) == (3, b"")
    assert not (tmp_path / "job.hr").exists()


def test_off_costs_no_system_calls(program: Callable[[str], Path]) -> None:
    """A process that is preloaded and does not capture, as everywhere at a site that preloads for all."""
    library = Path(COMMAND).parents[1] / "lib" / "headrace" / "libheadrace.so"
    environment = {**os.environ, "LD_PRELOAD": str(library), "HEADRACE": "off"}
    done = subprocess.run([program("no_extra_calls")], env=environment, check=False)
    if done.returncode == 77:
        pytest.skip("no seccomp here")
    assert done.returncode == 0


def test_full_disk_for_the_log(
    mix: Callable[..., Mix], small_tmpfs: Callable[[str], Path], tmp_path: Path
) -> None:
    made = mix(rows=1, files=3000)
    full = small_tmpfs("64K")
    with (full / "filler").open("wb") as filler:
        filler.write(b"x" * 40_000)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = made.command(operations=20_000, end="exit")
    done = subprocess.run(
        [COMMAND, "run", "--memory", "64M", "-o", str(full / "job.hr"), "--", *command],
        env={**os.environ, "TMPDIR": str(elsewhere)},
        cwd=elsewhere,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 3
    found = list(elsewhere.rglob("*.hr"))
    assert len(found) == 1, (done.stderr, found)
    assert os.fsencode(found[0]) in done.stderr
    check(made, Captured(3, b"", b"", found[0]))
    shutil.rmtree(elsewhere)
