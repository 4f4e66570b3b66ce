"""`headrace bench dump`: what ranks send to leaders is what files have in the end."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from bench_tools import MPIS, Bench

SMALL = ["dump", "--cells", "8x8x16", "--variables", "3", "--group-size", "2"]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(
    ("words", "files", "messages"),
    [
        (["--scheme", "one-file", "--planes", "4", "--chunks", "1x2x2"], 1, 3 * 4 * 2 - 6),
        (["--scheme", "multi-message", "--table", "interleaved"], 2, None),
        (["--scheme", "single-message", "--kind", "visualization", "--block", "off"], 2, 2),
        (["--scheme", "multi-message", "--kind", "restart", "--leader", "last", "--dumps", "2"], 4, 6),
        (["--scheme", "file-per-process", "--kind", "restart", "--api", "stdio"], 4, 0),
    ],
)
def test_dumps_are_what_was_sent(
    tmp_path: Path, mpi: str, words: list[str], files: int, messages: int | None
) -> None:
    bench = Bench(tmp_path, mpi)
    found = bench.figures(*SMALL, *words, "--name", "kept", "--keep")
    assert found["right"]
    stored = [path.stat().st_size for path in (tmp_path / "kept").iterdir()]
    assert len(stored) == files
    check = found["checks"][0]
    assert check["wrong_bytes"] == check["missing_bytes"] == 0
    assert 0 <= sum(stored) - check["checked_bytes"] < 512, "but what is before whole planes"
    dump = found["phases"][0]["calls"]
    assert dump.get("send", {}).get("calls") == dump.get("receive", {}).get("calls")
    if messages is not None:
        assert dump.get("send", {"calls": 0})["calls"] == messages
    dumps = int(found["settings"]["dumps"])
    assert len(found["supervising_seconds"]) == dumps
    assert len(found["collecting_seconds"]) == (dumps if messages != 0 else 0)
    for dump in [*found["collecting_seconds"], *found["supervising_seconds"]]:
        took_part = [seconds for seconds in dump["seconds"] if seconds is not None]
        assert len(dump["seconds"]) == found["ranks"] and len(took_part) == dump["ranks"]
        assert (min(took_part), max(took_part)) == (dump["least"], dump["most"])


def test_a_seek_back_for_each_entry_empties_blocks(tmp_path: Path) -> None:
    words = [*SMALL, "--kind", "restart", "--scheme", "multi-message", "--cells", "32x32x32", "--table"]
    end, interleaved = (
        Bench(tmp_path).figures(*words, how)["block_writes"][0] for how in ("end", "interleaved")
    )
    assert end == 13, "three variables of 256 KiB and what describes them, in blocks of 64 KiB"
    # The first block in two parts, two entries by themselves, and a block cut in two by each of these.
    assert interleaved == 13 + 1 + 2 + 2


def test_uniform_groups_load_io_nodes_evenly(tmp_path: Path) -> None:
    """Ranks that are laid over I/O nodes in turns: leaders of neighbours would all have the same one."""
    psets = tmp_path / "psets.txt"
    psets.write_text("# four ranks\n0 ion0\n1 ion1\n2 ion0\n3 ion1\n")
    bench = Bench(tmp_path, "openmpi")
    words = [*SMALL, "--kind", "restart", "--api", "null", "--psets", str(psets)]
    load = {
        how: bench.figures(*words, "--groups", how) for how in ("contiguous", "uniform", "topology-aware")
    }
    assert [node["writers"] for node in load["contiguous"]["io_nodes"]] == [2, 0]
    assert load["contiguous"]["io_node_load"]["bytes_most_by_mean"] == 2
    assert load["uniform"]["io_node_load"] == {"writers_most_by_mean": 1, "bytes_most_by_mean": 1}
    assert load["topology-aware"]["io_node_load"] == {"writers_most_by_mean": 1, "bytes_most_by_mean": 1}


def test_an_interrupted_dump_removes_its_own(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "openmpi", ranks=2)
    (tmp_path / "dump1.0").write_text("mine")
    words = ["dump", "--kind", "restart", "--dumps", "1000", "--emulate", "5ms", "-q"]
    bench.interrupt(words, lambda: any(tmp_path.glob("headrace-bench-*/dump2.*")), signal.SIGTERM)
    assert bench.left() == ["dump1.0"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kind", "movie"], "none of spec, visualization, restart"),
        (["--scheme", "one-file", "--kind", "restart"], "of --kind spec"),
        (["--groups", "topology-aware"], "needs --psets"),
        (["--psets", "/nothing"], "/nothing: cannot be read"),
        (["--chunks", "2x1x1"], "product is the number of ranks, 1"),
        (["--planes", "1000"], "cells of the grid along z, 64"),
        (["--api", "hdf5"], "posix or stdio"),
        (["--table", "first"], "neither end nor interleaved"),
        (["--kind", "restart", "--cells", "1Mx1Mx1M"], "more than files can hold"),
        (["--kind", "restart", "--cells", "16Kx16Kx1K"], "choose smaller transfers"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run("dump", *words)
    assert done.returncode in (2, 3, 4) and said in done.stderr, done.stderr
    assert bench.left() == []


def test_members_wait_until_their_data_is_taken(tmp_path: Path) -> None:
    """Not until a library has put it aside: the leader first writes a header and its own variables."""
    words = [*SMALL, "--scheme", "multi-message", "--kind", "restart", "--block", "off", "--emulate", "20ms"]
    found = Bench(tmp_path, "mpich").figures(*words, "--no-check")
    assert found["collecting_seconds"][0]["most"] >= 4 * 0.9 * 20e-3
