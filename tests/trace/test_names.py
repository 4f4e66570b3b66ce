"""What processes and threads are called in a trace, and in what order they are there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from trace_tools import HERE, Traced, compile_program


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(
        "cc -pthread", [HERE / "c" / "named.c"], tmp_path_factory.mktemp("named") / "named"
    )


def names_of(traced: Traced) -> list[tuple[str, int, str | None]]:
    listed = json.loads(traced.command("info", "--json", "--locations"))["location_list"]
    return [(row["command"], row["thread"], row["thread_name"]) for row in listed]


def test_threads_have_their_names(named: Path, tmp_path: Path) -> None:
    traced = Traced(tmp_path, [named, tmp_path / "out"])
    assert names_of(traced) == [
        ("named", 1, None),
        ("named", 2, "worker"),
        ("named", 3, None),
        ("named", 4, "stays \\xff here"),
        ("named", 1, "the child"),  # which begins after its parent
    ]
    lines = traced.command("cat").splitlines()
    assert any(":2 worker" in line and "write" in line for line in lines)
    assert any(":1 named" in line and "open" in line for line in lines)
    assert "named worker" in traced.command("info", "--locations")
    traced.verify()


def test_names_outlive_the_memory_of_events(named: Path, tmp_path: Path) -> None:
    """A flush empties the file in which they are noted."""
    traced = Traced(tmp_path, [named, tmp_path / "out", "50000"], ("--trace", "--trace-memory", "1M"))
    assert [row["name"] for row in traced.rows() if row.get("name") == "flush"]
    assert [name for _, _, name in names_of(traced)] == [
        None,
        "worker",
        None,
        "stays \\xff here",
        "the child",
    ]


def test_processes_are_in_the_order_of_their_begins(tmp_path: Path) -> None:
    script = "for i in 1 2 3 4 5 6; do /bin/cat job > $i; done"
    (tmp_path / "job").write_text("abc")
    traced = Traced(tmp_path, ["env", "-C", str(tmp_path), "sh", "-c", script])
    listed = json.loads(traced.command("info", "--json", "--locations"))["location_list"]
    begins = [row["begin_at_ns"] for row in listed]
    assert begins == sorted(begins)
    commands = [row["command"] for row in listed]
    assert commands.count("cat") == 6 and commands.index("sh") < commands.index("cat")
