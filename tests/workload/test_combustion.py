"""`headrace bench combustion`: checkpoints by nodes, in files of their own or in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_tools import MPIS, Bench

SMALL = ["combustion", "--per-node", "2", "--patches", "3", "--smallest", "4K", "--largest", "32K"]


@pytest.mark.parametrize("mpi", MPIS)
def test_strategies_move_the_same_bytes(tmp_path: Path, mpi: str) -> None:
    bench = Bench(tmp_path, mpi)
    found = {
        strategy: bench.figures(*SMALL, "--strategy", strategy)
        for strategy in ("file-per-node", "precreated", "shared")
    }
    assert all(one["right"] for one in found.values())
    assert len({one["checks"][0]["checked_bytes"] for one in found.values()}) == 1
    own, ready, shared = found["file-per-node"], found["precreated"], found["shared"]
    assert (own["api"], ready["api"], shared["api"], shared["collective"]) == (
        "posix",
        "posix",
        "mpiio",
        True,
    )
    assert own["phases"][0]["calls"].keys() == {"create", "write", "close"}
    assert own["phases"][0]["calls"]["write"]["calls"] == 2 * 2 * 3, "two nodes, two checkpoints"
    assert [phase["name"] for phase in ready["phases"]] == ["precreate", "write", "read"]
    assert ready["precreate_per_second"] > 0 and "create" not in ready["phases"][1]["calls"]
    assert shared["phases"][0]["calls"]["write"]["calls"] == 4 * 2 * 3, "collective calls are everyone's"
    rate = own["phases"][0]["bytes"] / own["phases"][0]["seconds"] / 2**20 / 2
    assert own["write_mib_per_second_per_node"] == pytest.approx(rate, rel=1e-3)
    assert bench.left() == []


def test_files_are_of_nodes_and_sizes_of_the_seed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    kept = [*SMALL, "--per-node", "1", "--api", "posix", "--keep", "--name"]
    bench.figures(*kept, "one")
    bench.figures(*kept, "same")
    bench.figures(*kept, "other", "--seed", "2")
    bench.figures(*kept, "shared", "--strategy", "shared")
    sizes = {
        name: {path.name: path.stat().st_size for path in (tmp_path / name).iterdir()}
        for name in ("one", "same", "other", "shared")
    }
    assert sizes["one"].keys() == {"checkpoint.0.0", "checkpoint.1.0"} and sizes["shared"].keys() == {
        "checkpoint.0",
        "checkpoint.1",
    }
    assert sizes["one"] == sizes["same"] != sizes["other"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--strategy", "best"], "neither file-per-node, precreated nor shared"),
        (["--per-node", "2"], "does not divide the number of ranks, 1"),
        (["--patches", "0"], "--patches"),
        (["--smallest", "8M"], "at most --largest"),
        (["--largest", "8T"], "choose smaller transfers"),
        (["--strategy", "shared"], "mpirun"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run("combustion", *words)
    assert done.returncode in (2, 3, 4) and said in done.stderr, done.stderr
    assert bench.left() == []
