"""How files are striped, of captured jobs.

No Lustre and no GPFS runs where tests do: c/striped_fs.c stands for them. It is mounted as "fuse.lustre" and
answers the same questions with the same bytes, so all but those file systems themselves is the real thing.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from capture_tools import COMMAND, Captured, run
from lustre_layouts import composite, plain

Mounted = Callable[..., tuple[Path, Path]]


def shell(script: str, log: Path, **more: Any) -> Captured:
    return run(["/bin/sh", "-c", script], log, **more)


def properties(captured: Captured, path: Path) -> dict[str, str]:
    """What the log knows of a file, each fact once."""
    records = {row["record"] for row in captured.rows("files") if row["path"] == str(path)}
    rows = [row for row in captured.rows("properties") if row["record"] in records]
    assert len({row["key"] for row in rows}) == len(rows), "each fact once, in whatever process"
    return {row["key"]: row["value"] for row in rows}


def gaps(captured: Captured) -> dict[str, int]:
    return {
        row["reason"]: row["amount"] for row in captured.rows("gaps") if row["what"] == "layouts of files"
    }


def test_layouts_are_in_the_log(mounted: Mounted, tmp_path: Path) -> None:
    point, below = mounted()
    (below / ".layout.a").write_bytes(plain([5, 12], 4 << 20, "flash"))
    (below / ".layout.b").write_bytes(
        composite((0, 1 << 20, plain([3])), (1 << 20, 2**64 - 1, plain([1, 2, 3], 2 << 20)))
    )
    (below / ".layout.torn").write_bytes(plain([1, 2])[:-5])
    script = f"""cd {point}; for name in a b none torn; do echo {"x" * 100} >$name; done
        cat a b >/dev/null; echo gone >gone; rm gone; echo t >part; mv part whole; exit 0"""
    (below / ".layout.whole").write_bytes(plain([9]))
    captured = shell(script, tmp_path / "job.hr")
    assert captured.status == 0, captured.stderr
    assert properties(captured, point / "a") == {
        "lustre.stripe_size": str(4 << 20),
        "lustre.stripe_count": "2",
        "lustre.pool": "flash",
        "lustre.osts": "5,12",
    }
    found = properties(captured, point / "b")
    assert found["lustre.component2.osts"] == "1,2,3"
    assert found["lustre.component2.extent_end"] == "eof"
    assert found["lustre.osts"] == "3,1,2"
    assert properties(captured, point / "none") == {}
    reasons = gaps(captured)
    assert reasons["the layout ends too early"] == 1
    assert reasons["the file system has none of them"] >= 1
    assert reasons["gone before they could be asked for"] >= 1
    mount = {row["mount"]: row for row in captured.rows("mounts")}[captured.file("/a", writes=1)["mount"]]
    assert (mount["type"], mount["source"]) == ("fuse.lustre", "10.0.0.1@tcp:/scratch")
    assert mount["point"] == str(point)
    assert "rw" in mount["options"].split(",")
    shown = subprocess.run(
        [COMMAND, "show", captured.path], capture_output=True, text=True, check=True
    ).stdout
    assert "stripes: 2 of 4 MiB" in " ".join(shown.split())
    assert "fuse.lustre" in shown


def test_blocks_of_gpfs(mounted: Mounted, tmp_path: Path) -> None:
    point, below = mounted("gpfs")
    (below / ".block_size").write_text(str(16 << 20))
    captured = shell(f"echo x >{point}/a", tmp_path / "job.hr")
    assert properties(captured, point / "a") == {"gpfs.block_size": str(16 << 20)}


def test_a_dead_server_holds_up_nobody(mounted: Mounted, tmp_path: Path) -> None:
    point, below = mounted()
    (below / ".silent").touch()
    begin = time.monotonic()
    captured = shell(
        f"for i in 1 2 3 4 5 6 7 8; do echo $i >{point}/f$i; done | cat", tmp_path / "job.hr", timeout=60
    )
    took = time.monotonic() - begin
    (below / ".silent").unlink()
    assert captured.status == 0
    assert gaps(captured) == {"the file system did not answer in time": 8}
    assert took < 20, f"{took} s: one file is waited for, not eight"
    assert captured.rows("job")[-1]["value"] == "yes", "the log is complete all the same"


def test_directories_that_are_links(mounted: Mounted, tmp_path: Path) -> None:
    """As on many machines, where ~/scratch leads to Lustre."""
    point, below = mounted()
    (point / "user").mkdir()
    (below / "user" / ".layout.a").write_bytes(plain([4]))
    link = tmp_path / "scratch"
    link.symlink_to(point / "user")
    captured = shell(f"echo x >{link}/a; echo y >{tmp_path}/b", tmp_path / "job.hr")
    assert properties(captured, link / "a")["lustre.osts"] == "4"
    types = {row["mount"]: row["type"] for row in captured.rows("mounts")}
    assert types[captured.file("scratch/a", writes=1)["mount"]] == "fuse.lustre"
    assert types[captured.file("/b", writes=1)["mount"]] != "fuse.lustre"


def test_nothing_is_asked_elsewhere(tmp_path: Path) -> None:
    captured = shell(f"echo x >{tmp_path}/a", tmp_path / "job.hr")
    assert captured.rows("properties") == []
    assert gaps(captured) == {}


@pytest.mark.parametrize("reduce", ["never", "always"])
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_files_of_ranks(mpi: str, reduce: str, mounted: Mounted, tmp_path: Path) -> None:
    """Each rank writes a file of its own and one that all share; each file is told once."""
    point, below = mounted()
    for rank in range(4):
        (below / f".layout.rank{rank}").write_bytes(plain([rank % 2]))
    (below / ".layout.shared").write_bytes(plain([0, 1, 2, 3]))
    source = tmp_path / "ranks.c"
    source.write_text(PROGRAM)
    program = tmp_path / "ranks"
    subprocess.run([f"mpicc.{mpi}", "-o", program, source], check=True)
    launched = [f"mpirun.{mpi}", "-np", "4", program, point]
    environment = {**os.environ, "HEADRACE_REDUCE": reduce}
    captured = run(launched, tmp_path / "job.hr", (), env=environment, timeout=120)
    assert captured.status == 0, captured.stderr
    assert bool(captured.rows("shared")) == (reduce == "always")
    for rank in range(4):
        assert properties(captured, point / f"rank{rank}")["lustre.osts"] == str(rank % 2)
    assert properties(captured, point / "shared")["lustre.osts"] == "0,1,2,3"
    mounts = {row["mount"]: row["type"] for row in captured.rows("mounts")}
    ours = [row for row in captured.rows("files") if row["path"].startswith(f"{point}/")]
    assert len(ours) >= (8 if reduce == "never" else 5)
    assert {mounts[row["mount"]] for row in ours} == {"fuse.lustre"}


def test_a_slow_server_explains_slow_ranks(mounted: Mounted, tmp_path: Path) -> None:
    """Writes to files on server 2 of 4 take a second each; the others are fast."""
    point, below = mounted()
    for rank in range(8):
        (below / f".layout.rank{rank}").write_bytes(plain([rank % 4]))
        (below / f".delay.rank{rank}").write_text("1000000" if rank % 4 == 2 else "5000")
    source, program = tmp_path / "ranks.c", tmp_path / "ranks"
    source.write_text(PROGRAM)
    subprocess.run(["mpicc.openmpi", "-o", program, source], check=True)
    launched = ["mpirun.openmpi", "-np", "8", program, point]
    captured = run(launched, tmp_path / "job.hr", (), timeout=120)
    assert captured.status == 0, captured.stderr
    shown = subprocess.run([COMMAND, "show", "--json", captured.path], capture_output=True, check=True).stdout
    against = json.loads(shown)["servers_against_ranks"]
    assert against["standing_out"][:1] == ["2"], against["sentence"]
    assert numbers(against["slow_ranks"]) >= {2, 6}  # a busy machine may add others


def numbers(ranks: str) -> set[int]:
    """Of a list such as "0-12:4, 15"."""
    found: set[int] = set()
    for part in ranks.split(", "):
        first, _, rest = part.partition("-")
        last, _, step = rest.partition(":")
        found.update(range(int(first), int(last or first) + 1, int(step or 1)))
    return found


PROGRAM = r"""
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **arguments) {
  int rank;
  char path[4096], data[65536] = {0};
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/rank%d", arguments[1], rank);
  int fd = open(path, O_CREAT | O_WRONLY, 0644);
  for (int i = 0; i < 4; ++i)
    if (write(fd, data, sizeof data) != sizeof data) return 1;
  close(fd);
  snprintf(path, sizeof path, "%s/shared", arguments[1]);
  fd = open(path, O_CREAT | O_WRONLY, 0644);
  if (pwrite(fd, data, sizeof data, (long)rank * sizeof data) != sizeof data) return 1;
  close(fd);
  return MPI_Finalize();
}
"""
