"""Suites for file systems, which are not part of this project, on a mount and on a plain directory.

They run where their programs are found: `cargo install fsx` and `cargo install pjdfstest`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from forward_tools import Place
from mount_tools import Mounts, needs_fuse

pytestmark = [needs_fuse, pytest.mark.soak]

FSX = """
flen = 1048576
[weights]
close_open = 1
invalidate = 1
truncate = 10
fsync = 2
fdatasync = 2
read = 10
write = 10
mapread = 10
mapwrite = 10
posix_fallocate = 2
punch_hole = 0
sendfile = 5
posix_fadvise = 2
copy_file_range = 10
[opsize]
max = 131072
min = 0
"""

PJDFSTEST = """
[features]
posix_fallocate = {}
rename_ctime = {}
utime_now = {}
utimensat = {}
[settings]
naptime = 0.05
allow_remount = false
[dummy_auth]
entries = [["nobody", "nogroup"], ["daemon", "daemon"], ["games", "games"]]
"""

# A mount is for its user alone, and servers act as theirs; docs/results/forwarding-posix-2026-11.md has each.
OTHER_USERS = {
    "chmod::clear_isgid_bit",
    "ftruncate::affected_create_flags_only",
    "mkdir::uid_gid_eq_euid_egid",
    "mkfifo::uid_gid_eq_euid_egid",
    "mknod::uid_gid_eq_euid_egid",
    "open::uid_gid_eq_euid_egid",
    "posix_fallocate::affected_only_create_flags",
    *(f"rename::unchanged_ctime_failed::{kind}" for kind in ("dir", "regular", "socket", "fifo", "symlink")),
    "rename::write_access_required_subdir",
    *(f"unlink::unchanged_ctime_failed::{kind}" for kind in ("regular", "socket", "fifo")),
    "utimensat::nobody",
    "utimensat::write_perm",
}


def program(name: str) -> str:
    found = shutil.which(name, path=os.environ["PATH"] + ":" + str(Path.home() / ".cargo" / "bin"))
    if found is None:
        pytest.skip(f"no {name}")
    return found


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("kind", ["usual", "all"])
def test_fsx(place: Place, mounts: Mounts, tmp_path: Path, seed: int, kind: str) -> None:
    words = [program("fsx"), "-q", "-S", str(seed), "-N", "20000", "-P", str(tmp_path)]
    if kind == "all":
        (tmp_path / "fsx.toml").write_text(FSX)
        words += ["-f", str(tmp_path / "fsx.toml")]
    on = mounts.mount(place.spec.removeprefix("/fwd="))
    subprocess.run([*words, on / "file"], check=True, timeout=1200)


def failures(config: Path, where: Path) -> tuple[int, set[str]]:
    words = [program("pjdfstest"), "-c", config, "-p", where]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=600)
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None, done.stderr
    return int(passed[1]), set(re.findall(r"^(\S+) +FAILED$", done.stdout, re.MULTILINE))


@pytest.mark.skipif(os.geteuid() != 0, reason="it becomes other users")
def test_pjdfstest(place: Place, mounts: Mounts, tmp_path: Path) -> None:
    config = tmp_path / "pjdfstest.toml"
    config.write_text(PJDFSTEST)
    direct = tmp_path / "direct"
    for each in (*tmp_path.parents[:3], tmp_path, direct):
        each.mkdir(exist_ok=True)
        each.chmod(0o755)
    passed_directly, failed_directly = failures(config, direct)
    on = mounts.mount(place.spec.removeprefix("/fwd="))
    passed, failed = failures(config, on)
    devices = {name for name in failed if name.endswith(("::char", "::block"))}
    assert failed - devices - failed_directly <= OTHER_USERS
    assert passed + len(failed) >= passed_directly - 1  # one is left out where links have no greatest number
