"""In which layer the I/O of other languages shows: every byte of their files is in the log, once."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured

CXX = """
#include <cstdio>
#include <fstream>
#include <iostream>
int main(int argc, char** argv) {
  std::ios::sync_with_stdio(argc == 1);
  std::ofstream out("file");
  for (int i = 0; i < 20000; ++i) out << i << '\\n';
  out.close();
  std::ifstream in("file");
  long sum = 0, value;
  while (in >> value) sum += value;
  std::cout << sum << std::endl;
  for (int i = 0; i < 3000; ++i) std::cout << "0123456789\\n";
}
"""
FORTRAN = """
program streams
  integer :: i, back
  real(8) :: values(1000), again(1000)
  values = [(i * 0.5d0, i = 1, 1000)]
  open(10, file='formatted', form='formatted', status='replace')
  do i = 1, 1000
    write(10, '(I8,F12.3)') i, values(i)
  end do
  close(10)
  open(11, file='unformatted', form='unformatted', status='replace')
  write(11) values
  rewind(11)
  read(11) again
  close(11)
  open(12, file='stream', form='unformatted', access='stream', status='replace')
  do i = 1, 1000
    write(12) values(i)
  end do
  close(12)
  open(13, file='direct', form='unformatted', access='direct', recl=80, status='replace')
  do i = 1, 100
    write(13, rec=i) values(i:i+9)
  end do
  read(13, rec=5) again(1:10)
  close(13)
  print *, again(1)
end program
"""


def build(directory: Path, compiler: str, name: str, text: str) -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (directory / name).write_text(text)
    out = directory / "program"
    subprocess.run([compiler, "-O1", "-o", str(out), str(directory / name)], check=True)
    return out


def written(captured: Captured, name: str) -> dict[str, int]:
    """Bytes written to the file by layer, where there are any."""
    rows = captured.files(f"/{name}")
    return {row["layer"]: row["bytes_written"] for row in rows if row["bytes_written"]}


@pytest.mark.parametrize("synchronised", [True, False])
def test_cxx(synchronised: bool, capture: Callable[..., Captured], tmp_path: Path) -> None:
    """File streams make system calls themselves; cout writes through stdout unless that was turned off."""
    captured = capture([build(tmp_path, "g++", "x.cc", CXX), *[["no"], []][synchronised]], cwd=tmp_path)
    assert captured.status == 0
    size = (tmp_path / "file").stat().st_size
    assert written(captured, "file") == {"posix": size}
    assert sum(row["bytes_read"] for row in captured.files("/file")) == size
    out = {row["layer"]: row["bytes_written"] for row in captured.files("<stdout>") if row["bytes_written"]}
    assert out == {"stdio" if synchronised else "posix": len(captured.stdout)}


def test_fortran(capture: Callable[..., Captured], tmp_path: Path) -> None:
    """The run-time library of gfortran has buffers of its own and makes system calls."""
    captured = capture([build(tmp_path, "gfortran", "x.f90", FORTRAN)], cwd=tmp_path)
    assert captured.status == 0, captured.stderr
    for name in ("formatted", "unformatted", "stream", "direct"):
        assert written(captured, name) == {"posix": (tmp_path / name).stat().st_size}, name
    assert captured.file("/unformatted")["bytes_read"] >= 8000


def test_python(capture: Callable[..., Captured], tmp_path: Path) -> None:
    source = (
        "with open('file', 'w') as out:\n    for i in range(9999): print(i, file=out)\nopen('file').read()"
    )
    captured = capture([sys.executable, "-c", source], cwd=tmp_path)
    assert captured.status == 0, captured.stderr
    size = (tmp_path / "file").stat().st_size
    assert written(captured, "file") == {"posix": size}
    assert captured.file("/file")["bytes_read"] == size
