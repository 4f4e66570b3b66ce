"""What traces have of messages and collective operations, against what programs count themselves."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import headrace
import pytest
from capture_tools import COMMAND, Captured
from headrace.analysis.trace_filters import unmatched
from headrace.analysis.traces import Trace
from parallel_tools import is_open_mpi_4, skip_unless_it_spawns

Compiled = Callable[[str, str], Path]
Parallel = Callable[..., Captured]


def trace_of(captured: Captured) -> Path:
    assert captured.status == 0, captured.stderr.decode()
    return captured.path.with_name("job.trace.hr")


def verified(trace: Path) -> dict[str, Any]:
    done = subprocess.run([COMMAND, "trace", "verify", "--json", trace], capture_output=True, check=False)
    checks: dict[str, Any] = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    return checks


def figures(trace: Path) -> dict[str, int]:
    """Matched messages, after all checks hold."""
    checks = verified(trace)
    assert [check for check in checks.values() if check["holds"] is not True] == []
    amounts: dict[str, int] = checks["messages"]["amounts"]
    assert amounts["messages_missed"] == amounts["messages_elsewhere"] == 0
    return amounts


def traffic(trace: Path) -> dict[str, int]:
    done = subprocess.run([COMMAND, "trace", "stats", "--json", trace], capture_output=True, check=True)
    found: dict[str, int] = json.loads(done.stdout)["traffic"]
    return found


def events(trace: Path, *kinds: str) -> list[dict[str, Any]]:
    done = subprocess.run([COMMAND, "trace", "cat", "--json", trace], capture_output=True, check=True)
    return [row for line in done.stdout.splitlines() if (row := json.loads(line))["kind"] in kinds]


def communicators(trace: Path) -> Counter[str]:
    with headrace.JobLog(trace) as log:
        rows = log.table("references").to_pylist()
    return Counter(row["name"] for row in rows if row["kind"] == "communicator")


@pytest.mark.parametrize("ranks", [2, 5])
def test_every_message(mpi: str, compiled: Compiled, parallel: Parallel, ranks: int) -> None:
    captured = parallel(ranks, [compiled(mpi, "c/messages.c")], "--trace")
    trace = trace_of(captured)
    told = [[int(word) for word in line.split()] for line in captured.text]
    sums = [sum(column) for column in zip(*told, strict=True)]
    assert figures(trace)["messages_matched"] == sums[1] == sums[3]
    found = traffic(trace)
    kept = ("sends", "bytes_sent", "receives", "bytes_received")
    assert [found[key] for key in kept] == sums[1:]
    names = communicators(trace)
    assert names["MPI_COMM_WORLD"] == names["halo exchange"] == 1
    assert names[f"MPI_Cart_create of MPI_COMM_WORLD: {ranks} ranks from 0"] == 1


def test_a_message_that_nobody_receives(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    captured = parallel(2, [compiled(mpi, "c/messages.c"), "unreceived"], "--trace")
    if b"being freed has 1 unmatched message" in captured.stderr:
        pytest.skip("this MPI aborts a program that leaves a message, as MPICH does since 4.2")
    trace = trace_of(captured)
    check = verified(trace)["messages"]
    assert check["holds"] is False
    assert check["amounts"]["messages_not_received"] == 1


def test_a_receive_of_whose_end_nobody_hears(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    trace = trace_of(parallel(2, [compiled(mpi, "c/messages.c"), "freed"], "--trace"))
    check = verified(trace)["messages"]
    assert check["holds"] is None
    assert (check["amounts"]["messages_not_received"], check["amounts"]["messages_missed"]) == (2, 2)


@pytest.mark.parametrize("binding", ["mpif", "f08"])
def test_fortran(mpi: str, compiled: Compiled, parallel: Parallel, binding: str) -> None:
    trace = trace_of(parallel(3, [compiled(mpi, f"fortran/messages_{binding}.f90")], "--trace"))
    assert figures(trace)["messages_matched"] == 15
    assert traffic(trace)["bytes_received"] == 3 * 4 * (10 + 10 + 9 + 8 + 7)
    over = [row for row in events(trace, "receive") if row["communicator"] != "MPI_COMM_WORLD"]
    assert sorted((row["rank"], row["peer"]) for row in over) == [(0, 2), (1, 0), (2, 1)] or sorted(
        (row["rank"], row["peer"]) for row in over
    ) == [(0, 1), (1, 2), (2, 0)]


def test_threads(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    trace = trace_of(parallel(2, [compiled(mpi, "c/messages_threads.c")], "--trace"))
    assert figures(trace)["messages_matched"] == 2 * 4 * 100 * 20


def test_spawned_ranks(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    program = compiled(mpi, "c/spawn_messages.c")
    skip_unless_it_spawns(f"mpirun.{mpi}", "-np", "2", program)
    trace = trace_of(parallel(2, [program], "--trace"))
    check = verified(trace)["messages"]
    assert check["holds"] is True, "rank 1 of one world is not rank 1 of the other"
    assert (check["amounts"]["messages_matched"], check["amounts"]["messages_elsewhere"]) == (8, 6)
    assert communicators(trace)["MPI_COMM_WORLD of spawned ranks"] == 1


def test_collectives(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    captured = parallel(3, [compiled(mpi, "c/collectives.c")], "--trace")
    trace = trace_of(captured)
    figures(trace)
    found: dict[int, list[tuple[str, int, int, int]]] = {rank: [] for rank in range(3)}
    inside: dict[int, str] = {}
    for row in events(trace, "enter", "leave", "collective"):
        if row["kind"] == "enter":
            inside[row["rank"]] = row["name"]
        elif row["kind"] == "collective":
            root = -1 if row["root"] is None else row["root"]
            name = inside[row["rank"]].removeprefix("MPI_")
            found[row["rank"]].append((name, root, row["sent"], row["received"]))
    told: dict[int, list[tuple[str, int, int, int]]] = {rank: [] for rank in range(3)}
    for line in captured.text:
        rank, name, *numbers = line.split()
        told[int(rank)].append((name, int(numbers[0]), int(numbers[1]), int(numbers[2])))
    assert found == told


@pytest.mark.parametrize("more", [["--trace"], []])
def test_arguments_that_mean_nothing(
    mpi: str, compiled: Compiled, parallel: Parallel, more: list[str]
) -> None:
    captured = parallel(3, [compiled(mpi, "c/two_groups.c")], *more)
    assert captured.status == 0, captured.stderr.decode()


def test_ranks_of_sessions(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    if is_open_mpi_4(mpi):
        pytest.skip("Open MPI 4 has no sessions")
    trace = trace_of(parallel(2, [compiled(mpi, "c/session.c")], "--trace"))
    check = verified(trace)["messages"]
    assert check["holds"] is not False
    assert check["amounts"]["messages_missed"] == 2 * (2 + 1), "a send, a receive and a barrier each"


def test_one_end_that_is_not_recorded(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    trace = trace_of(parallel(2, [compiled(mpi, "c/paused_messages.c")], "--trace"))
    check = verified(trace)["messages"]
    assert check["holds"] is None
    assert (check["amounts"]["messages_matched"], check["amounts"]["messages_missed"]) == (1, 1)


def test_requests_that_were_not_freed(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path
) -> None:
    stubborn = tmp_path / "not_freed.so"
    source = Path(__file__).parent / "c" / "not_freed.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-o", stubborn, source], check=True)
    script = 'LD_PRELOAD="$LD_PRELOAD $0" exec "$@"'
    trace = trace_of(
        parallel(2, ["sh", "-c", script, stubborn, compiled(mpi, "c/kept_requests.c")], "--trace")
    )
    assert figures(trace)["messages_matched"] == 5


@pytest.mark.parametrize("how", [[], ["unseen"]])
def test_one_sided_operations(mpi: str, compiled: Compiled, parallel: Parallel, how: list[str]) -> None:
    """Whose memory they reach is a rank of the world, whatever window had the handle before."""
    trace = trace_of(parallel(3, [compiled(mpi, "c/one_sided.c"), *how], "--trace"))
    figures(trace)
    names = ["Put", "Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Rput"]
    moved = [32, 0, 16, 24, 24, 8, 40]
    for rank in range(3):
        rows = [
            (row["name"].removeprefix("MPI_"), row["moved"], row.get("target"))
            for row in events(trace, "leave")
            if row["rank"] == rank and (row["name"].removeprefix("MPI_") in names)
        ]
        expected = []
        for target in ((rank + 2) % 3, (rank + 1) % 3):
            targets = [None if size == 0 else target for size in moved]
            expected += list(zip(names, moved, targets, strict=True))
        assert rows == expected


def test_partitioned_messages(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    if is_open_mpi_4(mpi):
        pytest.skip("Open MPI 4 is older than partitioned messages")
    trace = trace_of(parallel(2, [compiled(mpi, "c/partitioned.c")], "--trace"))
    assert figures(trace)["messages_matched"] == 3
    rows = [(row["kind"], row["peer"], row["tag"], row["size"]) for row in events(trace, "send", "receive")]
    assert sorted(rows) == 3 * [("receive", 0, 9, 320)] + 3 * [("send", 1, 9, 320)]


def test_calls_without_messages(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    """And the other way round: either is a module by itself."""
    program = [compiled(mpi, "c/messages.c")]
    trace = trace_of(parallel(2, program, "--trace=mpi,-messages"))
    assert events(trace, "send", "receive", "collective") == []
    assert {row["layer"] for row in events(trace, "leave")} >= {"mpi"}
    assert unmatched(Trace(trace)) == []
    checks = verified(trace)
    assert [name for name, check in checks.items() if check["holds"] is False] == []
    assert checks["messages"]["amounts"]["messages_missed"] > 0


def test_messages_without_calls(mpi: str, compiled: Compiled, parallel: Parallel) -> None:
    trace = trace_of(parallel(2, [compiled(mpi, "c/messages.c")], "--trace=messages"))
    rows = events(trace, "send", "receive", "collective", "enter", "io")
    kinds = {row["kind"] for row in rows if row.get("layer") != "thread"}
    assert kinds == {"send", "receive", "collective"}
    assert unmatched(Trace(trace)) == []
    checks = verified(trace)
    assert checks["messages"]["holds"] is True
    assert [name for name, check in checks.items() if check["holds"] is False] == []


@pytest.mark.parametrize("ending", ["abort", "kill"])
def test_messages_of_ranks_that_did_not_finalize(
    mpi: str, compiled: Compiled, parallel: Parallel, ending: str
) -> None:
    """They need not arrive: no failure, but their number is told."""
    captured = parallel(2, [compiled(mpi, "c/unreceived.c"), ending], "--trace")
    assert captured.status != 0
    trace = captured.path.with_name("job.trace.hr")
    deadline = time.monotonic() + 20  # a launcher may end before the ranks that it kills
    while ranks_of(trace) != {0, 1}:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    checks = verified(trace)
    assert checks["messages"]["holds"] is None, checks["messages"]
    assert checks["messages"]["amounts"]["messages_of_unfinalized"] == 2
    assert "2 of them need not have arrived" in checks["messages"]["says"]
    assert [name for name, check in checks.items() if check["holds"] is False] == []


def ranks_of(trace: Path) -> set[int]:
    return {row["rank"] for row in Trace(trace).locations} - {-1}


def test_collectives_of_otf2_begin_with_their_calls(
    mpi: str, compiled: Compiled, parallel: Parallel, tmp_path: Path
) -> None:
    """As long as the call around them, also those over a part of the ranks."""
    trace = trace_of(parallel(2, [compiled(mpi, "c/collectives.c")], "--trace=mpi"))
    out = tmp_path / "archive"
    command = [COMMAND, "trace", "export", trace, "--to", "otf2", "-o", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "libotf2-trace-dev" in done.stderr:
        pytest.skip("without the OTF2 library")
    assert done.returncode == 0, done.stderr
    said = subprocess.run(
        ["otf2-print", out / "traces.otf2"], capture_output=True, text=True, check=True
    ).stdout
    records = [
        line.split(maxsplit=3) for line in said.splitlines() if re.match(r"[A-Z_]+ +[0-9]+ +[0-9]", line)
    ]
    begun = 0
    for location in {record[1] for record in records}:
        own = [record for record in records if record[1] == location]
        for before, now, after in zip(own, own[1:], own[2:], strict=False):
            if now[0] == "MPI_COLLECTIVE_BEGIN":
                begun += 1
                assert before[0] == "ENTER" and before[2] == now[2], (before, now)
                assert after[0] == "MPI_COLLECTIVE_END" and int(after[2]) > int(now[2]), (now, after)
    assert begun == len(events(trace, "collective")) > 0
    assert len({name for record in records if "COLLECTIVE_END" in record[0] for name in [record[3]]}) > 3
    assert sum(communicators(trace).values()) > 1
