"""What `headrace doctor` says of I/O forwarding: servers, mounts, and secrets of several nodes."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from headrace._places import library, native_program, page
from headrace.commands._checks import FAILS, LIMITED, NOT_TRIED, OK, Check
from headrace.commands._installation import added_by, again

_PAGE = page("forward.md")
_WINDOW = 4 << 20  # bytes of memory that a process of the node shares with a server


def forwarding() -> Check:
    """Runs a shell whose file is written by a server, and looks for it where the server puts files."""
    if os.environ.get("HEADRACE") == "off":
        return _fails("forwarding", NOT_TRIED, "unset HEADRACE")
    forward = library("libheadrace-forward.so")
    if not forward.exists():
        return _fails("forwarding", f"{forward} is not there", again())
    with tempfile.TemporaryDirectory(prefix="headrace-doctor-") as directory:
        root = Path(directory, "root")
        root.mkdir()
        command = [str(native_program()), "forward", "up", "-q", "-o", str(Path(directory, "doctor.hr"))]
        command += ["--root", str(root), "--prefix", "/headrace-doctor"]
        script = "printf abc > /headrace-doctor/three-bytes"
        try:
            run = subprocess.run(
                [*command, "--", "/bin/sh", "-c", script],
                cwd=directory, capture_output=True, text=True, errors="replace", timeout=30, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return _fails("forwarding", f"`headrace forward up`: {error}", "see the other checks")
        if run.returncode != 0:
            said = run.stderr.strip() or f"exit status {run.returncode}"
            return _fails("forwarding", f"`headrace forward up`: {said}", "see the other checks")
        file = root / "three-bytes"
        if not file.exists() or file.read_bytes() != b"abc":
            return _fails(
                "forwarding", "a shell that wrote 3 bytes to a server: they are not there", f"see {_PAGE}"
            )
    return Check("forwarding", OK, "a shell that wrote 3 bytes to a server: they are in its file")


def shared_memory() -> Check:
    """Sealed memory without a name: of it are descriptors of forwarded files, and windows to servers."""
    name = "shared memory"
    try:
        memory = os.memfd_create("headrace-doctor", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except OSError as error:
        return _fails(
            name, f"memfd_create: {error.strerror}", "forwarding needs it: a filter of system calls?"
        )
    try:
        os.posix_fallocate(memory, 0, _WINDOW)
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    except OSError as error:
        advice = "forwarding copies through sockets then; give the container more memory"
        return Check(name, LIMITED, f"4 MiB of a memfd: {error.strerror}", advice, needed=False)
    finally:
        os.close(memory)
    return Check(name, OK, "memfd with seals, as windows to forwarding servers need")


def mount() -> Check:
    """What `headrace mount` needs: its program, the kernel's FUSE, and who may mount."""
    program, device = library("headrace-mount"), Path("/dev/fuse")
    if not program.exists():
        advice = f"only for `headrace mount`: {added_by('libfuse3-dev fuse3')}"
        built = ": built without libfuse3" if library("libheadrace.so").exists() else ""
        return _fails("mount", f"{program} is not there{built}", advice)
    try:
        os.close(os.open(device, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        advice = "load the module fuse; docker run --device /dev/fuse"
        if isinstance(error, PermissionError):
            advice = f"as root, let users open it (chmod 666 {device}), or mount as root"
        advice = f"only for `headrace mount`: {advice}"
        return _fails("mount", f"{device}: {error.strerror}", advice)
    helper = shutil.which("fusermount3")
    if helper is None:
        advice = "only for `headrace mount`: apt-get install fuse3"
        return _fails("mount", "fusermount3 is not there", advice)
    if os.geteuid() != 0 and not Path(helper).stat().st_mode & 0o4000:
        return _fails(
            "mount", f"{helper} is not setuid root", f"only for `headrace mount`: chmod u+s {helper}"
        )
    return Check("mount", OK, f"{device} opens, {helper}, {program.name}")


def secrets() -> Check:
    """MUNGE, by which servers on other nodes can tell their secret; without it a file does."""
    name = "munge"
    if shutil.which("munge") is None or shutil.which("unmunge") is None:
        return Check(
            name, OK, "not installed: servers for other nodes need a --secret file that all nodes see"
        )
    try:
        sealed = _run(["munge", "--no-input"])
        opened = _run(["unmunge"], sealed.stdout) if sealed.returncode == 0 else sealed
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(name, LIMITED, str(error), _start_munge(), needed=False)
    if opened.returncode != 0:
        said = opened.stderr.strip() or f"exit status {opened.returncode}"
        return Check(name, LIMITED, said, _start_munge(), needed=False)
    return Check(name, OK, "seals and opens; servers for other nodes can use --munge")


def _start_munge() -> str:
    return "start munged, or give servers for other nodes a --secret file that all nodes see"


def _run(words: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, input=text, capture_output=True, text=True, errors="replace", timeout=10, check=False
    )


def _fails(name: str, found: str, advice: str) -> Check:
    return Check(name, FAILS, found, advice, needed=False)


ALL: list[Callable[[], Check]] = [forwarding, shared_memory, mount, secrets]
