"""`headrace run --emulate`: programs of all kinds meet a slow file system, with and without capture."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bench_tools import COMMAND, MPIS, launcher

SLOW = """
title = "made for a test"
[latency]
read = "2ms"
write = "3ms"
[metadata]
create = "20ms"
stat = "5ms"
unlink = "5ms"
rename = "5ms"
mkdir = "5ms"
rmdir = "5ms"
open = "5ms"
"""


class Job:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.files = directory / "files"
        self.files.mkdir()
        self.profile = directory / "slow.toml"
        self.profile.write_text(SLOW)
        self.log = directory / "job.hr"

    def run(self, *command: str, status: int = 0, **variables: str) -> dict[str, int]:
        """What was emulated."""
        import headrace

        options = ["-o", str(self.log), "--emulate", str(self.profile), "--emulate-dir", str(self.files)]
        done = subprocess.run(
            [COMMAND, "run", "-q", *options, "--", *command],
            cwd=self.directory,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == status, (done.stdout, done.stderr)
        with headrace.open(self.log) as job:
            facts = {row["key"]: row["value"] for row in job.table("job").to_pylist()}
        assert facts["emulate"] == "made for a test"
        found: dict[str, int] = json.loads(facts["emulated"])
        return found


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def test_python(job: Job) -> None:
    program = f"""
import os
os.chdir({str(job.files)!r})
descriptor = os.open("a", os.O_CREAT | os.O_WRONLY, 0o600)
for _ in range(3): os.write(descriptor, b"x" * 100)
os.close(descriptor)
assert os.stat("a").st_size == 300
os.mkdir("d"); os.rename("a", "d/b"); os.unlink("d/../d/b"); os.rmdir("d")
try: os.stat("a")
except FileNotFoundError: pass
else: raise SystemExit(1)
"""
    found = job.run(sys.executable, "-c", program)
    assert found["creates"] == 1 and found["writes"] == 3
    assert (found["mkdirs"], found["renames"], found["unlinks"], found["rmdirs"]) == (1, 1, 1, 1)
    assert found["stats"] >= 2


def test_capture_sees_the_delays(job: Job) -> None:
    import headrace

    file = job.files / "zeros"
    job.run("dd", "if=/dev/zero", f"of={file}", "bs=4k", "count=10", "status=none")
    with headrace.open(job.log) as log:
        (row,) = (row for row in log.files.to_pylist() if row["path"] == str(file))
    assert row["writes"] == 10 and row["write_ns"] >= (10 * 0.003 - 0.004) * 1e9


def test_processes_of_a_shell_share_one_state(job: Job) -> None:
    found = job.run(
        "sh", "-c", f"for i in 1 2 3; do mkdir {job.files}/$i & done; wait; mv {job.files}/1 {job.files}/4"
    )
    assert found["mkdirs"] == 3 and found["renames"] == 1


def test_streams(job: Job) -> None:
    """What streams do inside of the C library, beside what the kernel has counted."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = job.directory / "streams"
    source = Path(__file__).parent / "streams.c"
    subprocess.run([compiler, "-O1", "-w", "-o", program, source], check=True, timeout=60)
    job.profile.write_text(SLOW.replace("2ms", "1us").replace("3ms", "1us"))
    found = job.run("sh", "-c", f"{program} {job.files}/a > {job.directory}/counted")
    writes, reads = map(int, (job.directory / "counted").read_text().split())
    assert found["writes"] == writes > 100
    # Reads at the end of the file that find nothing are not seen.
    assert 0.95 * reads <= found["reads"] <= reads
    assert (found["creates"], found["opens"]) == (1, 1)


def test_without_capture(job: Job) -> None:
    file = job.files / "a"
    file.write_bytes(b"x" * 40960)
    before = set(Path("/dev/shm").glob("headrace-emulate-*"))
    words = ["--emulate", str(job.profile), "--", "dd", f"if={file}", "of=/dev/null", "bs=4k"]
    done = subprocess.run(
        [COMMAND, "run", *words],
        cwd=job.files,  # which is what --emulate-dir is by itself
        env={**os.environ, "HEADRACE": "off", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert float(done.stderr.splitlines()[-1].split(",")[-2].split()[0]) >= 10 * 0.002 - 0.004
    assert set(Path("/dev/shm").glob("headrace-emulate-*")) <= before
    assert [path.name for path in job.files.iterdir()] == ["a"]


@pytest.mark.parametrize("mpi", MPIS)
def test_ranks(job: Job, mpi: str) -> None:
    found = job.run(
        *launcher(mpi, 2),
        COMMAND,
        "bench",
        "ior",
        "--block",
        "16K",
        "--transfer",
        "4K",
        "--dir",
        str(job.files),
    )
    assert found["writes"] == 8 and found["creates"] == 1 and found["reads"] >= 8


def test_a_program_killed_while_it_waits_holds_nobody_up(job: Job) -> None:
    """The one that is killed had the service for a minute, but a new one asks for another directory's."""
    job.profile.write_text(SLOW + 'queue = "directory"\n')
    script = f"mkdir {job.files}/d & kill -9 $! ; wait; touch {job.files}/e; test -e {job.files}/e"
    job.run("sh", "-c", script)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--emulate", "never"], "'never' is no time"),
        (["--emulate", "1ms", "--emulate-dir", "/nothing/there"], "/nothing/there: No such file"),
        (["--emulate-dir", "/tmp"], "--emulate-dir goes with --emulate"),
        (["--emulate"], "--emulate"),
    ],
)
def test_mistakes(tmp_path: Path, words: list[str], said: str) -> None:
    done = subprocess.run(
        [COMMAND, "run", *words, "--", "true"][: None if len(words) > 1 else 3],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 125 and said in done.stderr
    assert list(tmp_path.iterdir()) == []


STOPPED = """
import os, signal, sys, time
file = os.open(sys.argv[1] + "/data", os.O_RDWR | os.O_CREAT)
me = os.getpid()
if os.fork() == 0:  # the parent comes late out of its write
    time.sleep(0.25)
    os.kill(me, signal.SIGSTOP)
    time.sleep(0.1)
    os.kill(me, signal.SIGCONT)
    os._exit(0)
os.write(file, b"x" * 4096)
os.wait()
begin = time.monotonic()
for at in range(3):
    os.pread(file, 100, at)
assert time.monotonic() - begin >= 3 * 0.002, time.monotonic() - begin
"""


def test_reads_do_not_pay_for_a_late_write(tmp_path: Path) -> None:
    job = Job(tmp_path)
    job.profile.write_text(SLOW.replace("3ms", "300ms"))
    counts = job.run(sys.executable, "-c", STOPPED, str(job.files))
    assert counts["reads"] == 3 and counts["writes"] == 1


def test_the_log_says_that_it_was_emulated(tmp_path: Path) -> None:
    job = Job(tmp_path)
    job.run(sys.executable, "-c", "import sys; open(sys.argv[1] + '/data', 'w').write('x')", str(job.files))
    shown = subprocess.run([COMMAND, "show", str(job.log)], capture_output=True, text=True, check=True)
    assert "on an EMULATED file system: made for a test" in shown.stdout
    facts = json.loads(
        subprocess.run([COMMAND, "show", "--json", str(job.log)], capture_output=True, check=True).stdout
    )
    assert facts["job"]["emulate"] == "made for a test" and facts["job"]["emulated"]["writes"] == 1
