"""I/O that goes on behind the calls that began it: which figures it makes look better than they were."""

from __future__ import annotations

from typing import Any

Facts = dict[str, Any]

_SEEN_AT_CALLS = (
    "times run from submission until a call showed the completion, so they can be longer than the transfers;"
    " of operations under way at once each moment counts once."
)
# Calls that show that a request of aio is over.
FETCHING = ("aio_return", "aio_error")

_NOTES = {
    # Open MPI writes so: without this line its files seem faster than any memory.
    "Asynchronous I/O (aio)": "these calls only begin it and fetch its result, so how long it took is not in"
    " these times, and rates seem higher than they were.",
    "Nonblocking MPI-IO": "their time is what starting them and waiting for their end (MPI_Wait and the like)"
    " took. What went on while the program did something else is in none.",
    "Asynchronous I/O (io_uring)": _SEEN_AT_CALLS,
    "Asynchronous I/O (libaio)": _SEEN_AT_CALLS,
    "io_uring": "what was read and written through it is in no figure, neither bytes nor time.",
}


def asynchronous(functions: list[Facts], layers: list[Facts], gaps: list[Facts]) -> list[Facts]:
    """Rows {what, amount, unit, note}, each only where the job did that; keys as in docs/show.md."""

    def moved(*names: str) -> int:
        return sum(row["bytes"] for row in functions if row["function"] in names)

    begun = sum(
        layer["together"]["reads_nonblocking"] + layer["together"]["writes_nonblocking"]
        for layer in layers
        if layer["layer"] == "mpiio"
    )
    rings = sum(row["amount"] for row in gaps if row["what"] == "io_uring")
    amounts = (
        (moved(*FETCHING), "bytes"),
        (begun, "calls"),
        (moved("io_uring_read", "io_uring_write"), "bytes"),
        (moved("io_submit_read", "io_submit_write"), "bytes"),
        (rings, "rings"),
    )
    return [
        {"what": what, "amount": amount, "unit": unit, "note": note}
        for (what, note), (amount, unit) in zip(_NOTES.items(), amounts, strict=True)
        if amount
    ]
