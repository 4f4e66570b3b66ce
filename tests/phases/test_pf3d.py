"""examples/pf3d: by every scheme both programs have right data, the same planes, and a log of their bytes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from pf3d_runs import EXAMPLE, PROGRAMS, Example, Run
from phase_tools import COMMAND

FILES = {  # of 4 steps: spec, vis, checkpoint
    "one": (4, 8, 4),
    "multi": (8, 4, 4),
    "single": (8, 4, 4),
    "fpp": (16, 8, 4),
}
YORICK_BLOCK = 16384


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("built")
    path = {**os.environ, "PATH": f"{COMMAND.parent}:/usr/bin:/bin"}
    subprocess.run(["sh", EXAMPLE / "prepare", directory], env=path, check=True)
    return directory


@pytest.fixture
def example(tmp_path: Path, built: Path) -> Example:
    return Example(tmp_path, built)


def check_bytes(program: str, run: Run) -> None:
    """What the program says it wrote is in the log.

    Yorick closes a file by reading 16 KiB at its end and writing them again with the file's description, so
    more is written than the file has. How far it got is exact.
    """
    said = run.said()
    assert run.logged("write_end") == said
    written = run.logged("bytes_written")
    for kind, (files, size) in said.items():
        more = written[kind][1] - size
        assert more == 0 if program == "python" else 0 <= more <= files * YORICK_BLOCK


def check_phases(run: Run, scheme: str) -> None:
    """Dumps are phases of every rank; the bytes of their files are written in the part that is named so."""
    ranks = {row["process"]: row["rank"] for row in run.captured.rows("processes") if row["rank"] >= 0}
    rows = [row for row in run.captured.rows("phases") if row["instance"] == 0]
    assert {row["process"] for row in rows} == set(ranks)
    assert all(row["cut"] == 0 for row in rows)
    written = {kind: size for kind, (_, size) in run.logged("bytes_written").items()}
    for kind, times in (("spec", 4), ("vis", 2), ("checkpoint", 1)):
        assert [row["instances"] for row in rows if row["phase"] == kind] == [times] * len(ranks)
        for phase in (kind, f"{kind}/write"):
            assert sum(row["bytes_written"] for row in rows if row["phase"] == phase) == written[kind]
        assert all(row["bytes_written"] == 0 for row in rows if row["phase"] == f"{kind}/assemble")
    receive = {ranks[row["process"]] for row in rows if row["phase"] == "spec/receive"}
    assert receive == {"one": {0}, "fpp": set()}.get(scheme, {0, 2})


@pytest.mark.parametrize("scheme", FILES)
def test_each_scheme(example: Example, scheme: str) -> None:
    planes = []
    for program in PROGRAMS:
        run = example.run(program, 4, f"scheme={scheme}", "cells=6")
        assert tuple(files for files, _ in run.said().values()) == FILES[scheme]
        check_bytes(program, run)
        check_phases(run, scheme)
        planes.append(example.read(program))
    assert len(planes[0]) == 4 * 4 * 3
    assert planes[0] == planes[-1]


def test_sixteen_ranks_in_groups_by_topology(example: Example) -> None:
    """Of two I/O nodes, with 12 and 4 ranks, each has three leaders; contiguous groups leave one without."""
    psets = example.directory / "psets"
    psets.write_text("# rank pset\n" + "".join(f"{rank} {rank % 4 // 3}\n" for rank in range(16)))
    options = ("scheme=single", "vis=variables", "group=4", "groups=topology", f"psets={psets}", "cells=4")
    planes = []
    for program in PROGRAMS:
        run = example.run(program, 16, *options, "block=1048576")
        assert run.captured.text[0] == "single: 16 ranks, groups led by 0 5 10 3 7 11"
        leaders = {int(path.stem[-4:]) for path in run.dumps.glob("vis_*_g*.dump")}
        assert leaders == {0, 5, 10, 3, 7, 11}
        check_bytes(program, run)
        planes.append(example.read(program))
    assert planes[0] == planes[-1]


def test_cache_blocks_make_writes(example: Example) -> None:
    """A checkpoint of 216 KB a rank: the larger the block, the fewer the writes."""
    writes: dict[str, list[int]] = {program: [] for program in PROGRAMS}
    for program in writes:
        for block in (16 << 10, 1 << 20):
            options = ("cells=12", "variables=16", "steps=1", "vis_every=9", "checkpoint_every=1")
            run = example.run(program, 2, "scheme=fpp", f"block={block}", *options)
            writes[program].append(run.logged("writes")["checkpoint"][1])
    for counts in writes.values():
        assert counts[0] > counts[1]
