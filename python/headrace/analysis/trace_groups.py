"""Whose time it is: locations of a trace by what they are for the program."""

from __future__ import annotations

from typing import Any

from headrace.analysis.opened_traces import OpenedTrace

Facts = dict[str, Any]

FIRST_THREAD = 1
# The program's own come first. Without ranks `main` is the first thread of every process.
GROUPS = ("main", "threads", "mpi_threads", "no_rank")
PROGRAM = ("main", "threads")


def groups(trace: OpenedTrace, locations: list[int]) -> dict[str, list[int]]:
    """These locations by group; groups without any are not there.

    Threads of the MPI library are those that began inside of MPI_Init. Where calls of MPI are not in the
    trace they count among `threads`.
    """
    ranked = any(row["rank"] >= 0 for row in trace.locations)
    of_mpi = frozenset(trace.native.threads_of_mpi(locations))
    found: dict[str, list[int]] = {name: [] for name in GROUPS}
    for number in locations:
        row = trace.locations[number]
        if ranked and row["rank"] < 0:
            found["no_rank"].append(number)
        elif number in of_mpi:
            found["mpi_threads"].append(number)
        else:
            found["main" if row["thread"] == FIRST_THREAD else "threads"].append(number)
    return {name: chosen for name, chosen in found.items() if chosen}


def add_up(each: list[Facts]) -> Facts:
    """Sums of dicts of numbers with the same keys."""
    return {key: sum(one[key] for one in each) for key in each[0]} if each else {}
