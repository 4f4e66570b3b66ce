"""errno after a call is as without Headrace: under capture, a trace, forwarding, emulation and remedies.

Rows of the list of intercepted functions that have a call here are made in one program, errno at 77 before.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from forward_tools import NATIVE, Place, Result

LIST = Path(__file__).parents[2] / "src" / "intercept" / "functions.def"

# name: call, in terms of what main() below has. What fails has to fail as directly.
CALLS = {
    "open": 'g = open("f", O_RDWR | O_CREAT, 0644)',
    "openat": 'openat(AT_FDCWD, "none", O_RDONLY)',
    "creat": 'h = creat("made", 0600)',
    "dup": "i = dup(g)",
    "dup2": "dup2(g, i)",
    "dup3": "dup3(g, i, O_CLOEXEC)",
    "write": 'write(g, "hello world", 11)',
    "pwrite": 'pwrite(g, "HELLO", 5, 0)',
    "writev": "writev(g, &part, 1)",
    "pwritev": "pwritev(g, &part, 1, 20)",
    "pwritev2": "pwritev2(g, &part, 1, 20, 0)",
    "lseek": "lseek(g, 0, SEEK_SET)",
    "read": "read(g, b, 100)",
    "pread": "pread(g, b, 100, 0)",
    "readv": "readv(g, &part, 1)",
    "preadv": "preadv(g, &part, 1, 0)",
    "preadv2": "preadv2(g, &part, 1, 0, 0)",
    "fstat": "fstat(g, &s)",
    "stat": 'stat("f", &s)',
    "lstat": 'lstat("none", &s)',
    "fstatat": 'fstatat(AT_FDCWD, "f", &s, 0)',
    "statx": 'statx(AT_FDCWD, "f", 0, STATX_BASIC_STATS, &x)',
    "access": 'access("f", R_OK)',
    "faccessat": 'faccessat(AT_FDCWD, "none", R_OK, 0)',
    "eaccess": 'eaccess("f", R_OK)',
    "ftruncate": "ftruncate(g, 7)",
    "truncate": 'truncate("f", 5)',
    "fallocate": "fallocate(g, 0, 0, 4096)",
    "posix_fallocate": "posix_fallocate(g, 0, 8192)",
    "posix_fadvise": "posix_fadvise(g, 0, 0, POSIX_FADV_NORMAL)",
    "readahead": "readahead(g, 0, 4096)",
    "fsync": "fsync(g)",
    "fdatasync": "fdatasync(g)",
    "sync_file_range": "sync_file_range(g, 0, 0, SYNC_FILE_RANGE_WRITE)",
    "fchmod": "fchmod(g, 0640)",
    "chmod": 'chmod("f", 0600)',
    "fchmodat": 'fchmodat(AT_FDCWD, "none", 0600, 0)',
    "fchown": "fchown(g, -1, -1)",
    "chown": 'chown("f", -1, -1)',
    "lchown": 'lchown("f", -1, -1)',
    "fchownat": 'fchownat(AT_FDCWD, "f", -1, -1, 0)',
    "futimens": "futimens(g, NULL)",
    "utimensat": 'utimensat(AT_FDCWD, "f", NULL, 0)',
    "utimes": 'utimes("f", NULL)',
    "futimes": "futimes(g, NULL)",
    "flock": "flock(g, LOCK_EX) + flock(g, LOCK_UN)",
    "lockf": "lockf(g, F_TLOCK, 1) + lockf(g, F_ULOCK, 1)",
    "fcntl": "fcntl(g, F_GETFL) < 0",
    "copy_file_range": "copy_file_range(g, &from, h, &to, 5, 0)",
    "sendfile": "sendfile(h, g, &from, 2)",
    "mmap": "mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, g, 0) == MAP_FAILED",
    "fopen": '(stream = fopen("s", "w+")) == NULL',
    "fputs": 'fputs("a line\\n", stream) < 0',
    "fwrite": 'fwrite("more", 1, 4, stream)',
    "fprintf": 'fprintf(stream, "%d", 5)',
    "fflush": "fflush(stream)",
    "fseek": "fseek(stream, 0, SEEK_SET)",
    "ftell": "ftell(stream)",
    "fread": "fread(b, 1, 100, stream)",
    "rewind": "(rewind(stream), 0)",
    "fgets": "fgets(b, 100, stream) == NULL",
    "freopen": 'freopen("s", "r", stream) == NULL',
    "fclose": "fclose(stream)",
    "fdopen": '(stream = fdopen(dup(g), "r")) == NULL || fclose(stream)',
    "mkdir": 'mkdir("d", 0755)',
    "mkdirat": 'mkdirat(AT_FDCWD, "d", 0755)',
    "symlink": 'symlink("f", "l")',
    "symlinkat": 'symlinkat("f", AT_FDCWD, "l")',
    "readlink": 'readlink("l", b, 100)',
    "readlinkat": 'readlinkat(AT_FDCWD, "f", b, 100)',
    "link": 'link("f", "d/f")',
    "linkat": 'linkat(AT_FDCWD, "none", AT_FDCWD, "d/g", 0)',
    "rename": 'rename("d/f", "d/g")',
    "renameat": 'renameat(AT_FDCWD, "none", AT_FDCWD, "d/h")',
    "renameat2": 'renameat2(AT_FDCWD, "d/g", AT_FDCWD, "d/h", 0)',
    "realpath": 'realpath("l", b) == NULL',
    "mkstemp": 'close(mkstemp(strcpy(b, "tXXXXXX"))) + unlink(b)',
    "mkdtemp": 'mkdtemp(strcpy(b, "tXXXXXX")) == NULL || rmdir(b)',
    "opendir": '(directory = opendir(".")) == NULL',
    "readdir": "count_entries(directory)",
    "rewinddir": "(rewinddir(directory), 0)",
    "closedir": "closedir(directory)",
    "scandir": 'scandir(".", &names, NULL, alphasort)',
    "fdopendir": 'closedir(fdopendir(open("d", O_RDONLY)))',
    "chdir": 'chdir("d")',
    "getcwd": "getcwd(b, 4096) == NULL",
    "fchdir": "fchdir(top)",
    "unlink": 'unlink("l")',
    "unlinkat": 'unlinkat(AT_FDCWD, "none", 0)',
    "remove": 'remove("d/h")',
    "rmdir": 'rmdir("d")',
    "aio_write": "aio_write(&request) + finish(&request)",
    "aio_read": "aio_read(&request) + finish(&request)",
    "aio_fsync": "aio_fsync(O_SYNC, &request) + finish(&request)",
    "lio_listio": "lio_listio(LIO_WAIT, list, 1, NULL)",
    "pipe": "pipe(ends)",
    "pipe2": "pipe2(ends, O_CLOEXEC)",
    "close": "close(i)",
    "close_range": "close_range(i, i, 0)",
}

PROGRAM = """
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
static int count_entries(DIR* directory) {
  int count = 0;
  while (readdir(directory)) ++count;
  return count;
}
static long finish(struct aiocb* request) {
  const int saved = errno;
  while (aio_error(request) == EINPROGRESS) usleep(100);
  const long got = aio_return(request);
  errno = saved;
  return got;
}
int main(int count, char** arguments) {
  char b[4097], text[] = "text";
  struct stat s;
  struct statx x;
  struct dirent** names;
  struct iovec part = {text, 4};
  off_t from = 0, to = 0;
  int g = -1, h = -1, i = -1, ends[2], top = chdir(arguments[1]) == 0 ? open(".", O_RDONLY) : -1;
  long result;
  FILE* stream = NULL;
  DIR* directory = NULL;
  struct aiocb request = {.aio_buf = text, .aio_nbytes = 4}, *list[] = {&request};
  umask(022);
@CALLS@
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("errno")
    lines = []
    for name, call in CALLS.items():
        lines.append("  request.aio_fildes = g;")
        line = f'  errno = 77; result = (long)({call}); printf("{name} %ld %d\\n", result, errno);'
        lines.append(line)
    (place / "program.c").write_text(PROGRAM.replace("@CALLS@", "\n".join(lines)))
    words = ["cc", "-w", "-O1", place / "program.c", "-o", place / "program"]
    subprocess.run(words, check=True, timeout=60)
    return place / "program"


@pytest.fixture
def direct(program: Path, tmp_path: Path) -> list[str]:
    (tmp_path / "direct").mkdir()
    words = [program, tmp_path / "direct"]
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.splitlines()


def left_alone(seen: str, direct: list[str]) -> None:
    """The C library changes errno in some calls that succeed; others need not."""
    found = seen.splitlines()
    assert len(found) == len(direct)
    for line, expected in zip(found, direct, strict=True):
        assert line in (expected, expected.rpartition(" ")[0] + " 77")


def test_calls_are_those_of_the_list() -> None:
    rows = set(
        re.findall(r"^(?:\w+_)?(?:FUNCTION|SPECIAL|UNDECLARED|ALIAS)\((\w+)", LIST.read_text(), re.MULTILINE)
    )
    assert set(CALLS) <= rows, set(CALLS) - rows


@pytest.mark.parametrize("how", ["capture", "--trace", "--emulate=200us", "--apply"])
def test_errno_is_left_alone(program: Path, direct: list[str], tmp_path: Path, how: str) -> None:
    at = tmp_path / "at"
    at.mkdir()
    options = [] if how in ("capture", "--apply") else [how]
    words: list[str | Path] = [NATIVE, "run", "-q", "-o", tmp_path / "job.hr", *options]
    if how == "--apply":
        known = subprocess.run([NATIVE, "run", "--help"], check=True, capture_output=True, text=True).stdout
        if "--apply" not in known:
            pytest.skip("there are no remedies yet")
        words += ["--apply=stdio-buffer"]
    if how.startswith("--emulate"):
        words += ["--emulate-dir", at]
    words += ["--", program, at]
    done: Result = subprocess.run(
        words, check=False, capture_output=True, text=True, timeout=60, env={**os.environ}
    )
    assert done.returncode == 0, done.stderr
    left_alone(done.stdout, direct)


@pytest.mark.parametrize("count", [0, 2])
def test_errno_is_left_alone_by_forwarding(
    place: Place, program: Path, direct: list[str], count: int
) -> None:
    left_alone(place.run(program, "/fwd").stdout, direct)
