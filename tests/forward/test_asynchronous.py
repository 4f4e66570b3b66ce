"""Asynchronous I/O of programs on forwarded files: done, or refused with a word that says what to do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from forward_tools import Place
from side_by_side import both
from test_calls import built


def test_requests_of_the_c_library(place: Place, tmp_path: Path) -> None:
    both(place, tmp_path, f"{built('asynchronous', tmp_path)} $AT/file {tmp_path}/local; cat file")


LIBAIO = """
#include <fcntl.h>
#include <libaio.h>
#include <stdio.h>
#include <string.h>
int main(int count, char** arguments) {
  io_context_t context = 0;
  struct iocb one, *list[] = {&one};
  io_setup(4, &context);
  io_prep_pwrite(&one, open(arguments[1], O_RDWR | O_CREAT, 0666), "hello", 5, 0);
  for (int i = 0; i < 2; ++i) printf("%s\\n", strerror(-io_submit(context, 1, list)));
  return io_destroy(context);
}
"""
URING = """
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <string.h>
int main(int count, char** arguments) {
  struct io_uring ring;
  struct io_uring_cqe* done;
  if (io_uring_queue_init(4, &ring, 0) != 0) return 77;
  const int fd = open(arguments[1], O_RDWR | O_CREAT, 0666);
  for (int i = 0; i < 2; ++i) {
    io_uring_prep_write(io_uring_get_sqe(&ring), fd, "hello", 5, 0);
    io_uring_submit_and_wait(&ring, 1);
    io_uring_peek_cqe(&ring, &done);
    printf("%s\\n", strerror(-done->res));
    io_uring_cqe_seen(&ring, done);
  }
}
"""


@pytest.mark.parametrize(("text", "library"), [(LIBAIO, "aio"), (URING, "uring")], ids=["libaio", "io_uring"])
def test_what_the_kernel_alone_does_is_refused(place: Place, tmp_path: Path, text: str, library: str) -> None:
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(text)
    words = ["cc", "-w", source, "-o", program, f"-l{library}"]
    if subprocess.run(words, check=False, capture_output=True, timeout=60).returncode != 0:
        pytest.skip(f"no lib{library}")
    done = place.run(program, "/fwd/file", check=False)
    if done.returncode == 77:
        pytest.skip("the kernel gives no rings here")
    assert done.stdout == "Bad file descriptor\n" * 2
    assert done.stderr.count("/fwd/file") == done.stderr.count("headrace mount") == 1, done.stderr
