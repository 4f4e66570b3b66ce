"""A made job of very many ranks with dumps, of which it is known who was slow and why."""

from __future__ import annotations

import random
from pathlib import Path

from made_logs import LogMaker

MS = 1_000_000


def dumps(
    path: Path,
    ranks: int = 512,
    group: int = 16,
    instances: int = 4,
    slow_node: int | None = None,
    phase: str = "dump",
    factor: float = 1.0,
    seed: int = 1,
) -> Path:
    """Every `group`-th rank is a leader that writes; the others send to it and wait.

    16 ranks a node, 4 nodes an I/O node. On `slow_node` (if any) ranks spend their time in stat.
    """
    chance = random.Random(seed)
    log = LogMaker()
    for node in range((ranks + 15) // 16):
        log.add("nodes", node=log.name(f"n{node}"), io_node=log.name(f"io{node // 4}"), nearest_switch=0)
    for rank in range(ranks):
        log.process(rank + 1, rank=rank, ranks=ranks, instance=9, host=f"n{rank // 16}")
        wait = 0.0
        sums: dict[str, float] = {}
        for number in range(1, instances + 1):
            took = factor * (200 + 20 * number) * chance.uniform(0.97, 1.03)
            parts = _parts(rank, group, slow_node, took, chance)
            _rows(log, rank + 1, phase, number, took, parts)
            for name, value in parts.items():
                sums[name] = sums.get(name, 0.0) + value
            wait += took
        _rows(log, rank + 1, phase, 0, wait, sums, instances)
    return log.write(path)


def _parts(
    rank: int, group: int, slow_node: int | None, took: float, chance: random.Random
) -> dict[str, float]:
    """Milliseconds by function."""
    few = chance.uniform(0.9, 1.1)
    if rank // 16 == slow_node:
        return {"posix:stat": 0.9 * took, "mpi:MPI_Send": 0.05 * took * few}
    if rank % group == 0:
        return {"posix:write": 0.81 * took, "mpi:MPI_Recv": 0.1 * took * few}
    return {"posix:stat": 0.001 * took * few, "mpi:MPI_Barrier": 0.95 * took}


def _rows(
    log: LogMaker,
    process: int,
    phase: str,
    number: int,
    took: float,
    parts: dict[str, float],
    instances: int = 1,
) -> None:
    name = log.name(phase)
    keys = {"process": process, "phase": name, "instance": number}
    writes = "posix:write" in parts
    written = 64 * 16384 * instances if writes else 0
    log.add(
        "phases",
        **keys,
        instances=instances,
        ended="end" if number else "",
        cut=0,
        start_at_ns=10 * MS * max(1, number),
        end_at_ns=int(10 * MS * max(1, number) + took * MS),
        time_ns=int(took * MS),
        least_ns=int(took * MS / instances),
        most_ns=int(took * MS / instances),
        variance_ns2=0.0,
        slowest=number or instances,
        bytes_read=0,
        bytes_written=written,
        message_bytes=1000,
        read_ns=0,
        write_ns=int(parts.get("posix:write", 0) * MS),
        meta_ns=int(parts.get("posix:stat", 0) * MS),
        message_ns=int(sum(ms for function, ms in parts.items() if function.startswith("mpi")) * MS),
    )
    for function, ms in parts.items():
        layer, short = function.split(":")
        log.add(
            "phase_profiles",
            **keys,
            function=short,
            layer=layer,
            calls=64,
            errors=0,
            bytes=written if short == "write" else 0,
            time_ns=int(ms * MS),
            own_ns=int(ms * MS),
        )
    if writes:
        log.add(
            "phase_sizes",
            **keys,
            layer="posix",
            direction="write",
            least=16384,
            most=18431,
            count=64 * instances,
        )
        for span in range(10 if number else 0):
            log.add(
                "phase_series",
                **keys,
                direction="write",
                start_at_ns=int(10 * MS * number + span * took * MS / 10),
                width_ns=int(took * MS / 10),
                bytes=written // 10,
            )
