"""Which I/O node serves the node that a job ran on: described by the site, or told by Slurm."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from capture_tools import Captured, run

HOST = socket.gethostname()


def captured(tmp_path: Path, *options: str, **variables: str) -> Captured:
    return run(["/bin/true"], tmp_path / "job.hr", options, env={**os.environ, **variables})


def test_nodes_are_described(tmp_path: Path) -> None:
    described = tmp_path / "nodes"
    described.write_text(f"# ours\nnid[0001-0064] ion1\n{HOST} ion7\n")
    done = captured(tmp_path, HEADRACE_TOPOLOGY=str(described))
    assert done.rows("nodes") == [{"node": HOST, "io_node": "ion7", "nearest_switch": ""}]
    site = tmp_path / "site.conf"
    site.write_text(f"topology={described}\n")
    assert captured(tmp_path, "--config", str(site)).rows("nodes")[0]["io_node"] == "ion7"
    described.write_text("another ion1\n")
    assert captured(tmp_path, HEADRACE_TOPOLOGY=str(described)).rows("nodes") == []


def test_slurm_tells_the_switch(tmp_path: Path) -> None:
    done = captured(
        tmp_path, SLURM_TOPOLOGY_ADDR=f"s0.s4.{HOST}", SLURM_TOPOLOGY_ADDR_PATTERN="switch.switch.node"
    )
    assert done.rows("nodes") == [{"node": HOST, "io_node": "", "nearest_switch": "s4"}]


def test_a_mistake_is_said_and_the_program_runs(tmp_path: Path) -> None:
    described = tmp_path / "nodes"
    described.write_text("nid[1-9] ion1\nnid[1-\n")
    done = captured(tmp_path, HEADRACE_TOPOLOGY=str(described))
    assert done.status == 0
    assert f"{described}:2: an I/O node is missing" in done.stderr.decode()
    assert done.rows("nodes") == []
    missing = captured(tmp_path, HEADRACE_TOPOLOGY="/nonexistent")
    assert (missing.status, "/nonexistent: No such file" in missing.stderr.decode()) == (0, True)


def test_tokens_in_logs_without_names(tmp_path: Path) -> None:
    described = tmp_path / "nodes"
    described.write_text(f"{HOST} secret-gateway\n")
    done = captured(tmp_path, "--anonymize", HEADRACE_TOPOLOGY=str(described))
    [row] = done.rows("nodes")
    [process] = done.rows("processes")
    assert row["node"] == process["host"] != HOST
    assert row["io_node"] != "secret-gateway"
    assert b"gateway" not in done.path.read_bytes()
