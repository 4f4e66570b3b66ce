"""Programs that are started where capture does not fit: under limits on memory, below another root."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tracing import LIBRARY, Tracer

WORK = "echo text > file; /bin/cat file; /bin/echo done; (echo more >> file); /bin/cat file | /usr/bin/wc -l"


def test_the_library_takes_little_data() -> None:
    """Limits on data count what is there at the start, touched or not."""
    lines = subprocess.run(["readelf", "-lW", LIBRARY], check=True, capture_output=True, text=True).stdout
    written = [line.split() for line in lines.splitlines() if " LOAD " in line and " RW " in line]
    assert 0 < sum(int(line[5], 16) for line in written) < 640 << 10


@pytest.mark.parametrize("limit", ["--data", "--as"])
@pytest.mark.parametrize("mebibytes", [3, 4, 5, 8, 16, 24, 32, 64, 256])
def test_limits_on_memory(tracer: Tracer, limit: str, mebibytes: int) -> None:
    done = tracer.compare(["prlimit", f"{limit}={mebibytes << 20}", "sh", "-c", WORK])
    assert done.status == 0
    small = mebibytes < (4 if limit == "--data" else 32)
    assert any("limits" in reason for reason in done.reasons) == small, done.reasons
    if not small:
        assert done.captured >= 5
        assert not set(done.gaps) - {"excluded paths"}, done.gaps


def test_a_shell_that_limits_itself(tracer: Tracer) -> None:
    for kind in ("-d 3000", "-d 6000", "-v 20000", "-v 60000"):
        done = tracer.compare(["sh", "-c", f"ulimit {kind}; {WORK}"])
        assert done.status == 0


@pytest.fixture(scope="session")
def other_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a shell, cat, env and what they need."""
    root = tmp_path_factory.mktemp("root")
    needed: set[str] = set()
    for program in ("sh", "cat", "env"):
        path = Path(shutil.which(program, path="/usr/bin:/bin") or "").resolve()
        (root / "bin").mkdir(exist_ok=True)
        shutil.copy(path, root / "bin" / program)
        found = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
        needed |= {word for word in found.split() if word.startswith("/")}
    for library in needed:
        place = root / library.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, place)
    return root


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change its root directory")
@pytest.mark.parametrize(
    "how",
    [
        'chroot "$0" /bin/sh -c "$1"',
        'exec chroot "$0" /bin/sh -c "$1"',
        'unshare --mount --root="$0" /bin/sh -c "$1"',
        'unshare --fork --root="$0" /bin/sh -c "$1"',
        'exec python3 -c "import os, sys; os.chroot(sys.argv[1]); os.system(sys.argv[2])" "$0" "$1"',
        'exec python3 -c "import os, subprocess, sys; os.chroot(sys.argv[1]); '
        'subprocess.run(sys.argv[2], shell=True)" "$0" "$1"',
    ],
)
def test_another_root_directory(tracer: Tracer, other_root: Path, how: str) -> None:
    inside = "echo inside; cat /f; env FOUND=1 cat /f; /bin/sh -c 'echo deeper; cat /f'; exit 7"
    (other_root / "f").write_text("content\n")
    done = tracer.compare(["sh", "-c", how, other_root, inside])
    assert b"deeper\ncontent\n" in done.output
    assert b"ld.so" not in done.errors
    told = [reason for reason in done.reasons if "other-root" in reason]
    assert told or done.gaps.get("processes", 0) > 0, "the log does not say what was not captured"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
@pytest.mark.parametrize("last", ["cat /dev/null", "exec cat /dev/null"])
def test_a_mount_that_hides_the_records(tracer: Tracer, tmp_path: Path, last: str) -> None:
    (records := tmp_path / "records").mkdir()
    script = f"mount -t tmpfs none {records} && {last}"
    done = tracer.compare(["unshare", "--mount", "sh", "-c", script], env={"HEADRACE_SPOOL": str(records)})
    assert done.status == 0
    assert done.gaps.get("processes", 0) > 0, "the log does not say what was not captured"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide files from others")
def test_a_library_that_another_user_may_not_read(tracer: Tracer, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    command: list[str | Path] = [
        "setpriv",
        "--reuid",
        "65534",
        "--clear-groups",
        "sh",
        "-c",
        "id -u; cat /dev/null",
    ]
    copied = hidden / "libheadrace.so"
    shutil.copy(LIBRARY, copied)
    hidden.chmod(0o700)
    done = tracer.compare(command, env={"HEADRACE_LIBRARY": str(copied)})
    assert b"ld.so" not in done.errors
    assert any("other-root" in reason for reason in done.reasons), done.reasons


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize(
    "how", ["setpriv --reuid=65534 --clear-groups", "exec setpriv --reuid=65534 --clear-groups"]
)
def test_a_program_of_another_user_is_told(tracer: Tracer, how: str) -> None:
    done = tracer.compare(["sh", "-c", f"{how} sh -c 'id -u; cat /dev/null'"])
    # Where that user may not read the capture library either, that is the reason.
    told = [reason for reason in done.reasons if "other-user" in reason or "may not read" in reason]
    assert told or done.gaps.get("processes", 0) > 0, "the log does not say what was not captured"


def test_a_program_started_through_the_loader(tracer: Tracer, tmp_path: Path) -> None:
    told = subprocess.run(["ldd", "/bin/cat"], check=True, capture_output=True, text=True).stdout
    loader = next(word for word in told.split() if "/ld-linux" in word)
    (tmp_path / "f").write_text("content\n")
    done = tracer.compare(["sh", "-c", f"{loader} /bin/cat {tmp_path}/f"])
    assert done.output == b"content\n"
    assert any("loader" in reason for reason in done.reasons), done.reasons
