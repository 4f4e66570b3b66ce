"""The dumps and the schemes by which they are written.

What a domain has for a dump: for each variable its arrays by name. Of a spec dump, pieces of the planes that
cross the domain ("a0_z31"), maybe none; of a visualisation dump, the fields with less precision ("a0"); of a
checkpoint, the fields.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from grid import Plane
from mpi4py import MPI
from settings import Settings
from store import Reader, Writer

try:
    from headrace import phase
except ImportError:
    from phases import phase  # a copy of that one file

KINDS = ("spec", "vis", "checkpoint")
PARTS = ("assemble", "send", "receive", "write")
Arrays = dict[str, np.ndarray]


class Dumps:
    """Writes the dumps of one rank, and keeps account of them."""

    def __init__(self, comm: MPI.Comm, settings: Settings) -> None:
        self.comm, self.settings, self.grid = comm, settings, settings.grid
        self.group = next(group for group in settings.groups if comm.rank in group)
        self.seconds: Counter[tuple[str, str]] = Counter()
        self.bytes: Counter[str] = Counter()
        self.files: Counter[str] = Counter()

    def dump(self, kind: str, step: int) -> None:
        self.kind, self.step = kind, step
        scheme = self.settings.scheme
        with phase(kind):
            if kind == "checkpoint" or scheme == "fpp" or (scheme == "one" and kind == "vis"):
                self.file_per_process()
            elif scheme == "one":
                self.one_file()
            elif scheme == "multi":
                self.multi_message()
            else:
                self.single_message()

    # ---- the schemes

    def file_per_process(self) -> None:
        with self.part("assemble"):
            arrays = self.merged(self.content())
        if arrays:
            with self.part("write"):
                file = self.create(f"d{self.comm.rank:04}")
                self.save(file, arrays, "")
                self.close(file)

    def one_file(self) -> None:
        """Whole planes, put together by rank 0."""
        with self.part("assemble"):
            content = self.content()
            messages = self.by_variable(content)
            self.await_turn(0)
        if self.comm.rank != 0:
            self.send(0, messages)
            return
        pieces: dict[str, dict[int, np.ndarray]] = {}
        for rank in range(self.comm.size):
            received = content if rank == 0 else self.receive_by_variable(rank)
            for name, array in self.merged(received).items():
                pieces.setdefault(name, {})[rank] = array
        with self.part("write"):
            file = self.create("")
            for variable in range(self.settings.variables):
                for plane in self.settings.planes:
                    name = f"a{variable}_{plane.name}"
                    file.save(name, self.grid.whole(plane, pieces[name]))
            self.close(file)

    def multi_message(self) -> None:
        """A message a variable; the leader writes each array, by domain and name."""
        leader = self.group[0]
        with self.part("assemble"):
            content = self.content()
            messages = self.by_variable(content)
            self.await_turn(leader)
        if self.comm.rank != leader:
            self.send(leader, messages)
            return
        if not any(self.has(rank) for rank in self.group):
            return
        with self.part("write"):
            file = self.create(f"g{leader:04}")
        for rank in self.group:
            received = content if rank == leader else self.receive_by_variable(rank)
            with self.part("write"):
                self.save(file, self.merged(received), f"_d{rank:04}")
        with self.part("write"):
            self.close(file)

    def single_message(self) -> None:
        """All that a domain has as one file in memory, in one message."""
        leader = self.group[0]
        with self.part("assemble"):
            memory = Writer(None)
            self.save(memory, self.merged(self.content()), "")
            message = memory.bytes()
            self.await_turn(leader)
        if self.comm.rank != leader:
            self.send(leader, [message] if self.has(self.comm.rank) else [])
            return
        members = [rank for rank in self.group if self.has(rank)]
        if not members:
            return
        with self.part("write"):
            file = self.create(f"g{leader:04}")
        for rank in members:
            if rank != leader:
                with self.part("receive"):
                    self.give_turn(rank)
                    status = MPI.Status()
                    self.comm.Probe(rank, MPI.ANY_TAG, status)
                    message = np.empty(status.Get_count(MPI.BYTE), np.uint8)
                    self.comm.Recv(message, rank)
            with self.part("write"):
                if self.kind == "vis" and self.settings.vis == "variables":
                    logical = Reader(message.data)
                    self.save(file, {name: logical.load(name) for name in logical.names}, f"_d{rank:04}")
                else:
                    file.save(f"d{rank:04}", message)
        with self.part("write"):
            self.close(file)

    # ---- what a domain has

    def planes_of(self, rank: int) -> list[Plane]:
        return [plane for plane in self.settings.planes if self.grid.crosses(plane, rank)]

    def has(self, rank: int) -> bool:
        return self.kind != "spec" or bool(self.planes_of(rank))

    def content(self) -> list[Arrays]:
        """By variable; nothing where no plane crosses the domain."""
        if not self.has(self.comm.rank):
            return []
        return [self.arrays(variable) for variable in range(self.settings.variables)]

    def arrays(self, variable: int) -> Arrays:
        rank, name = self.comm.rank, f"a{variable}"
        field = self.grid.field(rank, variable, self.step)
        if self.kind == "vis":
            return {name: field.astype(np.float32)}
        if self.kind == "checkpoint":
            return {name: field}
        return {f"{name}_{plane.name}": self.grid.piece(plane, rank, field) for plane in self.planes_of(rank)}

    @staticmethod
    def merged(content: list[Arrays]) -> Arrays:
        return {name: array for arrays in content for name, array in arrays.items()}

    # ---- messages

    @staticmethod
    def by_variable(content: list[Arrays]) -> list[np.ndarray]:
        return [np.concatenate([array.reshape(-1) for array in each.values()]) for each in content]

    def send(self, leader: int, messages: list[np.ndarray]) -> None:
        if messages:
            with self.part("send"):
                for message in messages:
                    self.comm.Send(message, leader)

    def receive_by_variable(self, rank: int) -> list[Arrays]:
        if not self.has(rank):
            return []
        names, shape, dtype = [""], (self.grid.cells,) * 3, np.float32
        if self.kind == "spec":
            names = [f"_{plane.name}" for plane in self.planes_of(rank)]
            shape, dtype = shape[:2], np.float64
        content = []
        with self.part("receive"):
            self.give_turn(rank)
            for variable in range(self.settings.variables):
                message = np.empty((len(names), *shape), dtype)
                self.comm.Recv(message, rank)
                content.append({f"a{variable}{name}": message[at] for at, name in enumerate(names)})
        return content

    def give_turn(self, rank: int) -> None:
        self.comm.Send(np.zeros(1, np.int8), rank)

    def await_turn(self, leader: int) -> None:
        """The leader takes one member after the other; waiting for that is part of assembling (figure 2)."""
        if self.comm.rank != leader and self.has(self.comm.rank):
            self.comm.Recv(np.empty(1, np.int8), leader)

    # ---- files and the account

    def create(self, whose: str) -> Writer:
        self.files[self.kind] += 1
        name = "_".join(filter(None, (self.kind, f"{self.step:04}", whose))) + ".dump"
        return Writer(Path(self.settings.directory) / name, self.settings.block)

    def save(self, file: Writer, arrays: Arrays, domain: str) -> None:
        for name, array in arrays.items():
            file.save(name + domain, array)

    def close(self, file: Writer) -> None:
        self.bytes[self.kind] += file.close()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        with phase(name):
            yield
        self.seconds[self.kind, name] += time.perf_counter() - start
