"""What capture needs of a machine, one function a need. Each returns a Check and never raises."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import headrace
from headrace._errors import HeadraceError
from headrace._packages import install_extra, pip_install
from headrace._places import library as library_path
from headrace._places import native_program
from headrace.commands._installation import again

OK, LIMITED, FAILS = "ok", "limited", "fails"
NOT_TRIED = "not tried: HEADRACE=off is set"
# Of pyproject.toml's extras a package each, and what it is for.
_EXTRAS = {
    "duckdb": ("catalog", "catalogs and studies"),
    "pandas": ("pandas", "JobLog.pandas"),
    "pyspark": ("spark", "catalogs through Spark"),
}
_SPOOL_BYTES = 4 << 20  # of a process, unless --memory says otherwise


@dataclass(frozen=True)
class Check:
    name: str
    state: str  # OK; LIMITED: works with losses; FAILS: capture, or what the check names, does not work
    found: str
    advice: str = ""  # what to do; empty when all is well
    needed: bool = True  # for capture; without one of these the command's exit status is 1


def preload_library() -> Path:
    named = os.environ.get("HEADRACE_LIBRARY")
    return Path(named) if named else library_path("libheadrace.so")


def system() -> Check:
    machine = platform.machine()
    found = f"{platform.system()} {platform.release()}, {machine}"
    if platform.system() != "Linux" or machine not in ("x86_64", "aarch64"):
        return Check(
            "system", FAILS, found, "capture works on Linux on x86_64 or aarch64; logs can be read here"
        )
    return Check("system", OK, found)


def library() -> Check:
    path = preload_library()
    if not path.exists():
        return Check("capture library", FAILS, f"{path} is not there", again())
    try:
        with _preloadable(path) as place:
            environment = {**os.environ, "LD_PRELOAD": str(place), "HEADRACE": "off"}
            run = subprocess.run(
                ["/bin/true"], env=environment, capture_output=True, errors="replace", timeout=30
            )
        size = path.stat().st_size
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("capture library", FAILS, f"{path}: {error}", again())
    if run.returncode != 0 or run.stderr:
        said = run.stderr.strip() or f"a program preloading it ends with status {run.returncode}"
        return Check("capture library", FAILS, said, again())
    found = f"{path} ({size >> 10} KiB) loads"
    if place != path:
        found += ", through a link on this node: the loader takes no path with spaces or colons"
        advice = (
            f"for jobs on several nodes: ln -s {shlex.quote(str(path.parent))} LINK at a place without them, "
            f"and HEADRACE_LIBRARY=LINK/{path.name}"
        )
        return Check("capture library", LIMITED, found, advice, needed=False)
    return Check("capture library", OK, found)


@contextlib.contextmanager
def _preloadable(path: Path) -> Iterator[Path]:
    """The library under a name that the loader takes, as `headrace run` makes one in its spool directory."""
    if not re.search("[ :]", str(path)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="headrace-doctor-") as directory:
        link = Path(directory, "lib")
        link.symlink_to(path.parent)
        yield link / path.name


def c_library() -> Check:
    """The glibc of this machine against the newest symbol version the library asks for."""
    try:
        version = (os.confstr("CS_GNU_LIBC_VERSION") or "").removeprefix("glibc ")
    except (ValueError, OSError):
        version = ""
    if not version:
        return Check(
            "C library", FAILS, "not glibc", "programs of musl and other C libraries are not captured"
        )
    path = preload_library()
    data = path.read_bytes() if path.exists() else b""
    needs = max(
        (_version(text.decode()) for text in re.findall(rb"\0GLIBC_([0-9.]+)", data)), default=(2, 34)
    )
    floor = ".".join(map(str, needs))
    if _version(version) < needs:
        advice = f"build Headrace on this machine: this library needs glibc {floor}"
        return Check("C library", FAILS, f"glibc {version}", advice)
    return Check("C library", OK, f"glibc {version} (needs {floor})")


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))


def switched_off() -> Check:
    value = os.environ.get("HEADRACE", "")
    if value == "off":
        return Check("switch", FAILS, "HEADRACE=off is set: nothing is captured", "unset HEADRACE")
    others = [part for part in re.split(r"[ :]", os.environ.get("LD_PRELOAD", "")) if part]
    if others:
        found = f"LD_PRELOAD={':'.join(others)}"
        advice = (
            "other preloaded libraries may take calls before or after Headrace; unset it if counts look wrong"
        )
        return Check("switch", LIMITED, found, advice, needed=False)
    return Check("switch", OK, "not switched off, no other preloaded library")


def capture() -> Check:
    """Runs a shell that writes a file of three bytes under `headrace run` and looks for it in the log."""
    if os.environ.get("HEADRACE") == "off":
        return Check("capture", FAILS, NOT_TRIED, "unset HEADRACE")
    program = native_program()
    if not program.exists():
        return Check("capture", FAILS, f"{program} is not there", again())
    with tempfile.TemporaryDirectory(prefix="headrace-doctor-") as directory:
        log, file = Path(directory, "doctor.hr"), Path(directory, "three-bytes")
        script = ["/bin/sh", "-c", f"printf abc > {file.name}"]
        environment = {key: value for key, value in os.environ.items() if key != "HEADRACE_EXCLUDE"}
        try:
            run = subprocess.run(
                [str(program), "run", "-q", "--include", directory, "-o", str(log), "--", *script],
                cwd=directory, env=environment, capture_output=True, text=True, errors="replace", timeout=30,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return Check("capture", FAILS, f"`headrace run` did not work: {error}", "see the other checks")
        if run.returncode != 0:
            said = run.stderr.strip() or f"exit status {run.returncode}"
            return Check("capture", FAILS, f"`headrace run`: {said}", "see the other checks")
        return _captured(log, file)


def _captured(log: Path, file: Path) -> Check:
    try:
        with headrace.open(log) as opened:
            rows = opened.native.merge("path").rows(None, ["path", "bytes_written"])
            reasons = [row["reason"] for row in opened.native.frame("processes").rows() if row["reason"]]
    except HeadraceError as error:
        return Check("capture", FAILS, str(error), "see the other checks")
    written = [row["bytes_written"] for row in rows if row["path"].endswith(f"/{file.name}")]
    if sum(written) == 3:
        return Check("capture", OK, "a shell that wrote 3 bytes was captured: 3 bytes, in its file")
    found = "; ".join(reasons) or "the log of a shell that wrote 3 bytes does not have them"
    return Check("capture", FAILS, found, "see the other checks")


def spool() -> Check:
    """Where processes keep their records while they run: the first place that can."""
    found: list[str] = []
    for place in dict.fromkeys([os.environ.get("HEADRACE_SPOOL", ""), "/dev/shm", *_temporary()]):
        if not place:
            continue
        problem = _spool_problem(place)
        if problem is None:
            return _spool_found(place, found)
        found.append(problem)
    return Check("spool", FAILS, "; ".join(found), "name a local directory with space: HEADRACE_SPOOL=DIR")


def _temporary() -> list[str]:
    return [os.environ.get("TMPDIR", ""), "/tmp", "/var/tmp"]


def _spool_problem(place: str) -> str | None:
    if not os.access(place, os.W_OK | os.X_OK):
        return f"{place}: not there, or not writable"
    kind = file_system_type(place)
    if (
        kind in {"nfs", "nfs4", "lustre", "gpfs", "9p", "cifs", "smb3", "ceph", "beegfs", "afs"}
        or "fuse" in kind
    ):
        return f"{place}: on {kind}, which is no local file system"
    if shutil.disk_usage(place).free < _SPOOL_BYTES:
        return f"{place}: less than 4 MiB are free"
    return None


def _spool_found(place: str, refused: list[str]) -> Check:
    usage = shutil.disk_usage(place)
    processes = usage.free // _SPOOL_BYTES
    text = f"{place}: {file_system_type(place)}, {usage.free >> 20} of {usage.total >> 20} MiB free"
    text += f", room for {processes} processes of 4 MiB"
    if place != "/dev/shm":
        advice = "a disk is slower than memory: make /dev/shm usable, or set HEADRACE_SPOOL to a tmpfs"
        return Check("spool", LIMITED, "; ".join([*refused, text]), advice, needed=False)
    if usage.free < 64 * _SPOOL_BYTES:
        advice = "for more processes: a larger one (docker run --shm-size 1g), HEADRACE_SPOOL, or --memory 1M"
        return Check("spool", LIMITED, text, advice, needed=False)
    return Check("spool", OK, text)


def file_system_type(path: str) -> str:
    """By the longest mount point that holds the path; "unknown" without /proc."""
    real = os.path.realpath(path)
    best, kind = "", "unknown"
    try:
        lines = Path("/proc/self/mounts").read_text(errors="replace").splitlines()
    except OSError:
        return kind
    for line in lines:
        point, type_ = line.split(" ")[1:3]
        if (real + "/").startswith(point.rstrip("/") + "/") and len(point) >= len(best):
            best, kind = point, type_
    return kind


def clock() -> Check:
    try:
        path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        source = Path(path).read_text().strip()
    except OSError:
        source = "unknown"
    if source in ("tsc", "arch_sys_counter"):
        return Check("clock", OK, f"clocksource {source}")
    advice = "each captured call costs some 50 ns more; on a machine of your own boot with tsc=reliable"
    return Check("clock", LIMITED, f"clocksource {source}", advice, needed=False)


def fork_safety() -> Check:
    """MADV_WIPEONFORK (Linux 4.14): how a child notices that it is one."""
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        page.madvise(18)
    except OSError as error:
        return Check("fork", FAILS, f"MADV_WIPEONFORK: {error.strerror}", "needs Linux 4.14 or newer")
    finally:
        page.close()
    return Check("fork", OK, "MADV_WIPEONFORK works")


def barrier() -> Check:
    """membarrier (Linux 4.14): how records are folded while threads run."""
    number = {"x86_64": 324, "aarch64": 283}.get(platform.machine())
    libc = ctypes.CDLL(None, use_errno=True)
    if number is not None and libc.syscall(number, 0, 0, 0) >= 0:
        return Check("membarrier", OK, "works")
    advice = "when the memory for records is full, new files count in roll-ups; give more with --memory"
    return Check("membarrier", LIMITED, os.strerror(ctypes.get_errno()), advice, needed=False)


def packages() -> Check:
    found, missing = [], []
    for name in ("pyarrow", "click", "rich", "symbolic"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    for name, (extra, use) in _EXTRAS.items():
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"no {name} (for {use}: {install_extra(extra)})")
    text = f"Python {platform.python_version()}, " + ", ".join(found)
    if missing:
        advice = pip_install(*missing)
        return Check("Python", LIMITED, f"{text}; {', '.join(missing)} missing", advice, needed=False)
    return Check("Python", OK, text)


def configuration() -> Check:
    """The site's file, as the commands read it."""
    try:
        run = _config()
        said = _config("--log-directory")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("configuration", FAILS, str(error), again(), needed=False)
    if said.returncode != 0:
        found = said.stderr.strip().removeprefix("headrace: ")
        return Check("configuration", FAILS, found, "correct the line", needed=False)
    (path,) = (line for line in run.stdout.splitlines() if line.startswith("configuration:"))
    return Check("configuration", OK, path.split(":", 1)[1].strip())


def log_directory() -> Check:
    """Where logs go that are not named: there, writable today, and safe from other users."""
    try:
        directory, today = (_config(option).stdout.strip() for option in ("--log-directory", "--log-today"))
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("log directory", FAILS, str(error), again(), needed=False)
    if not directory:
        found = "none configured: logs go to the directory where a command is started"
        return Check("log directory", OK, found)
    make = "run `headrace make-log-directories` as root or the user that keeps the logs"
    if not Path(directory).is_dir():
        return Check("log directory", FAILS, f"{directory} is not there", make, needed=False)
    if not Path(today).is_dir():
        if os.access(directory, os.W_OK):
            found = f"{today} is not there yet; the first log makes it"
            return Check("log directory", LIMITED, found, make, needed=False)
        return Check("log directory", FAILS, f"{today} is not there", make, needed=False)
    state = Path(today).stat()
    if not os.access(today, os.W_OK | os.X_OK):
        return Check("log directory", FAILS, f"{today} is not writable", f"chmod 1777 {today}", needed=False)
    if state.st_mode & 0o022 and not state.st_mode & 0o1000:
        found = f"in {today} users can remove each other's logs"
        return Check("log directory", LIMITED, found, f"chmod 1777 {today}", needed=False)
    if state.st_uid not in (0, Path(directory).stat().st_uid):
        found = f"{today} belongs to user {state.st_uid}, who can remove all logs in it"
        return Check("log directory", LIMITED, found, make + " ahead of time", needed=False)
    return Check("log directory", OK, f"{today} is writable and sticky")


def _config(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(native_program()), "config", *options], capture_output=True, text=True, errors="replace",
        timeout=30, check=False,
    )  # fmt: skip


ALL: list[Callable[[], Check]] = [
    system, c_library, library, switched_off, configuration, log_directory, spool, clock, fork_safety,
    barrier, capture, packages,
]  # fmt: skip
