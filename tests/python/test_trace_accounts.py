"""What is left out of a trace excuses the calls that it concerns, and no others."""

from __future__ import annotations

import pytest
from headrace.analysis.trace_accounts import left_out, unexplained

WRITE, SEND, LSEEK = ("posix", "write"), ("mpi", "MPI_Send"), ("posix", "lseek")


@pytest.mark.parametrize(
    ("missing", "accounts", "wish", "left"),
    [
        ({}, {}, None, 0),
        ({WRITE: 5}, {}, None, 5),
        # A million regions that were left out are no writes.
        ({WRITE: 5}, {"deep": 10**6, "nameless": 10**6, "interrupted": 9, "stray": 9, "cut": 9}, None, 5),
        ({WRITE: 5}, {"name": 10**6}, "trace_skip=solve*", 5),
        ({WRITE: 5}, {"module": 10**6}, "trace=posix,phases", 5),
        ({SEND: 5}, {"module": 10**6}, "trace=posix,phases", 0),
        ({SEND: 5}, {"module": 4}, "trace=posix,phases", 1),
        ({SEND: 5}, {"name": 10}, "trace=posix,phases", 5),
        ({WRITE: 5}, {"module": 5}, "trace=-posix,-hdf5", 0),
        ({SEND: 5}, {"module": 5}, "trace=-posix,-hdf5", 5),
        ({SEND: 5, WRITE: 5}, {"module": 5}, "trace=all,-mpi", 5),
        ({LSEEK: 5, WRITE: 1}, {"name": 10}, "trace_skip=lseek,open* trace_longer=1ns", 1),
        ({LSEEK: 5, WRITE: 1}, {"name": 10, "short": 1}, "trace_skip=ls?ek trace_longer=1ns", 0),
        ({WRITE: 5}, {"name": 10}, "trace_only=read,a b=c", 0),
        ({WRITE: 5, SEND: 5}, {"module": 4, "paused": 3, "rank": 2}, "trace=posix", 1),
        ({WRITE: 2}, {"jumped": 2}, None, 0),
        ({("pnetcdf", "ncmpi_put"): 2}, {"phase": 2}, "trace_phase=step:1-2,4", 0),
    ],
)
def test_each_account_excuses_its_own(
    missing: dict[tuple[str, str], int], accounts: dict[str, int], wish: str | None, left: int
) -> None:
    assert unexplained(missing, accounts, wish) == left


def test_units_are_told() -> None:
    assert left_out({"module": 1, "deep": 2000, "cut": 3}) == [
        "1 call, region or counter of modules that were not asked for",
        "2,000 regions inside of too many regions",
    ]
