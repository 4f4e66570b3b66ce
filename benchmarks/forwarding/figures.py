"""Write rates by clients and by data: ``python -m benchmarks.forwarding.figures [DIRECTORY]``.

What figures 8 to 11 of Ilsche et al., "Optimizing I/O forwarding techniques for extreme-scale event
tracing", show for JaguarPF: a shared file and a file for each process, with more and more clients of a
server, and with more data than the server has memory for.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks import machine
from benchmarks.forwarding.measures import MB, rate_of_burst
from benchmarks.forwarding.server import ROOT, serving

CLIENTS = (1, 4, 12, 48)
DATA = (1, 4, 16)  # MiB of a client
# 250 MB/s, whatever the disk of this machine does meanwhile: 4 ms for each MiB, one at a time.
STORAGE = ("--trial", "delay=4000,one-writer")
PLAIN_STORAGE = ("delay=4000", "one-writer")


def table(head: list[str], lines: list[list[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def burst(place: Path, where: str, clients: int, data: int, *words: str) -> float:
    """MB/s as ``clients`` see them, of which each writes ``data`` MiB in requests of 1 MiB."""
    file = "file" if where != "plain" else str(place / "plain")
    rate = rate_of_burst(where, file, str(clients), str(MB), str(clients * data * MB), *words)
    for made in [*place.glob("plain*"), *(place / "root").glob("file*")]:
        made.unlink()
    return rate


def by_clients(place: Path, *words: str) -> str:
    lines = []
    for clients in CLIENTS:
        data = max(1, 64 // clients)
        direct = burst(place, "plain", clients, data, *PLAIN_STORAGE, *words)
        with serving(place, "--write-through", *STORAGE) as server:
            through = burst(place, server.unix, clients, data, *words)
        with serving(place, "--memory", "256M", *STORAGE) as server:
            held = burst(place, server.unix, clients, data, *words)
        lines.append([str(clients), *(f"{rate:,.0f}" for rate in (direct, through, held))])
    return table(["clients", "without servers", "not buffered", "buffered"], lines)


def by_data(place: Path) -> str:
    lines = []
    for clients in CLIENTS[1:]:
        rates = []
        for data in DATA:
            with serving(place, "--memory", "256M", *STORAGE) as server:
                rates.append(f"{burst(place, server.unix, clients, data):,.0f}")
        with serving(place, "--write-through", *STORAGE) as server:
            through = burst(place, server.unix, clients, DATA[0])
        lines.append([str(clients), *rates, f"{through:,.0f}"])
    return table(["clients", *(f"{data} MiB of each" for data in DATA), "not buffered"], lines)


def main(directory: Path) -> None:
    place = Path(tempfile.mkdtemp(prefix=f"headrace-figures-{os.getpid()}-", dir=directory))
    try:
        print("; ".join(f"{key}: {value}" for key, value in machine.facts(directory).items()) + "\n")
        print("MB/s as the clients see them, of one server, storage of 250 MB/s.\n")
        print("Shared file:\n\n" + by_clients(place))
        print("A file for each process:\n\n" + by_clients(place, "own-files"))
        print("Shared file, 256 MiB of memory in the server:\n\n" + by_data(place), flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build")
