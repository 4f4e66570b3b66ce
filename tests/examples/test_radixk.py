"""examples/radixk: one image by any radices and number of ranks, whose bytes the log has."""

from __future__ import annotations

import re

import pytest
from example_runs import Program, sent

RUNS = (  # MPI, ranks, radices, how it is written, messages that a rank sends for a frame
    ("openmpi", 4, "2,2", "shared", 2),
    ("openmpi", 6, "2,3", "gather", 3),
    ("mpich", 6, "6", "shared", 5),
    ("mpich", 5, "", "gather", 4),
)
SMALL = ("--size", "97x65", "--frames", "2", "--verify")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Program]:
    place = tmp_path_factory.mktemp("radixk")
    return {mpi: Program(mpi, "radixk", place, place) for mpi in ("openmpi", "mpich")}


def test_one_image(built: dict[str, Program]) -> None:
    images = set()
    for mpi, ranks, radices, output, messages in RUNS:
        chosen = ("--radices", radices) if radices else ()
        where = f"{mpi}-{output}"
        captured = built[mpi].capture(ranks, *SMALL, *chosen, "--output", output, "--directory", where)
        said = re.match(r"images: 2, (\d+) bytes, the same as the serial ones", captured.text[1])
        assert said, captured.text
        layer = "mpiio" if output == "shared" else "stdio"
        rows = [row for row in captured.files(layer=layer) if row["path"].endswith(".ppm")]
        assert sum(row["bytes_written"] for row in rows) == int(said[1])
        assert sent(captured) == {2 * messages}
        phases = {row["phase"]: row["instances"] for row in captured.rows("phases") if row["instance"] == 0}
        assert phases["frame"] == phases["frame/render"] == phases["frame/composite/round 1"] == 2
        frames = [path.read_bytes() for path in sorted((built[mpi].directory / where).iterdir())]
        assert frames[0] != frames[1]
        images.add(tuple(frames))
    assert len(images) == 1


def test_help_and_bad_options(built: dict[str, Program]) -> None:
    program = built["mpich"]
    shown = program.run(1, "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "--radices K,K,…" in shown.stdout
    for ranks, options, said in (
        (4, ("--radices", "2,3"), "--radices 2,3: 4 is not their product"),
        (1, ("--radices", "2,,2"), "--radices 2,,2: 1 is not their product"),
        (1, ("--size", "31x40"), "--size 31x40: this cannot be"),
        (1, ("--size", "100000x100000"), "this cannot be"),
        (1, ("--frames", "1x"), "--frames 1x: this cannot be"),
        (1, ("--frame",), "--frame is no option, or lacks its value"),
        (1, ("more",), "more is not expected"),
    ):
        done = program.run(ranks, *options)
        assert done.returncode == 2
        assert said in done.stderr and done.stdout == ""
