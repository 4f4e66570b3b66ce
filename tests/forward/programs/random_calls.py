# ruff: noqa: PTH101, PTH102, PTH104, PTH106, PTH108, PTH115, PTH116, PTH123, PTH208, PTH211
"""Random calls on files, each by a random one of several processes, forwarded and beside it directly.

random_calls.py FORWARDED DIRECT SEED CALLS: results, error numbers and bytes have to be the same.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import random
import stat
import sys
from typing import Any

PROCESSES = 3
NAMES = ["a", "b", "c", "d/a", "d/b", "d", "e", "e/a", "d/f", "d/f/a"]
SIZES = [0, 1, 10, 4096, 5000, 65536, 70000, 250_000]
OFFSETS = [0, 0, 1, 4095, 4096, 65535, 65536, 131072, 300_000]


def shown(status: os.stat_result) -> tuple[object, ...]:
    plain = stat.S_ISREG(status.st_mode)
    return (status.st_mode, status.st_size, status.st_nlink) if plain else (status.st_mode,)


class Calls:
    """What a process does below one directory."""

    def __init__(self, base: str):
        self.base = base
        self.open_files: dict[int, int] = {}

    def do(self, what: str, *arguments: Any) -> object:
        try:
            return getattr(self, "do_" + what)(*arguments)
        except OSError as error:
            return "failed", errno.errorcode[error.errno or 0]

    def at(self, name: str) -> str:
        return f"{self.base}/{name}"

    def do_open(self, number: int, name: str, flags: int) -> None:
        self.open_files[number] = os.open(self.at(name), flags, 0o644)

    def do_close(self, number: int) -> None:
        os.close(self.open_files.pop(number))

    def do_pwrite(self, number: int, data: bytes, offset: int) -> int:
        return os.pwrite(self.open_files[number], data, offset)

    def do_write(self, number: int, data: bytes) -> int:
        return os.write(self.open_files[number], data)

    def do_writev(self, number: int, data: bytes, offset: int) -> int:
        return os.pwritev(self.open_files[number], [data[:7], b"", data[7:], b"tail"], offset)

    def do_pread(self, number: int, size: int, offset: int) -> bytes:
        return os.pread(self.open_files[number], size, offset)

    def do_read(self, number: int, size: int) -> bytes:
        return os.read(self.open_files[number], size)

    def do_seek(self, number: int, offset: int, whence: int) -> int | None:
        fd = self.open_files[number]
        if stat.S_ISDIR(os.fstat(fd).st_mode):  # each file system has ends of its own for directories
            return None
        return os.lseek(fd, offset, whence)

    def do_ftruncate(self, number: int, size: int) -> None:
        os.ftruncate(self.open_files[number], size)

    def do_fstat(self, number: int) -> tuple[object, ...]:
        return shown(os.fstat(self.open_files[number]))

    def do_fsync(self, number: int) -> None:
        os.fsync(self.open_files[number])

    def do_fchmod(self, number: int, mode: int) -> None:
        os.fchmod(self.open_files[number], mode)

    def do_dup(self, number: int) -> None:
        copy = os.dup(self.open_files[number])
        os.close(self.open_files[number])
        self.open_files[number] = copy

    def do_unlink(self, name: str) -> None:
        os.unlink(self.at(name))

    def do_mkdir(self, name: str) -> None:
        os.mkdir(self.at(name))

    def do_rmdir(self, name: str) -> None:
        os.rmdir(self.at(name))

    def do_rename(self, name: str, other: str) -> None:
        os.rename(self.at(name), self.at(other))

    def do_link(self, name: str, other: str) -> None:
        os.link(self.at(name), self.at(other))

    def do_symlink(self, name: str, other: str) -> None:
        os.symlink(other, self.at(name))

    def do_readlink(self, name: str) -> str:
        return os.readlink(self.at(name))

    def do_stat(self, name: str) -> tuple[object, ...]:
        return shown(os.stat(self.at(name)))

    def do_lstat(self, name: str) -> tuple[object, ...]:
        return shown(os.lstat(self.at(name)))

    def do_list(self, name: str) -> list[str]:
        return sorted(os.listdir(self.at(name)))

    def do_truncate(self, name: str, size: int) -> None:
        os.truncate(self.at(name), size)

    def do_chmod(self, name: str, mode: int) -> None:
        os.chmod(self.at(name), mode)

    def do_utime(self, name: str, when: int) -> int:
        os.utime(self.at(name), (when, when))
        return os.stat(self.at(name)).st_mtime_ns

    def do_whole(self, name: str) -> bytes:
        with open(self.at(name), "rb") as file:
            return file.read()

    def do_replace(self, name: str, data: bytes) -> None:
        with open(self.at(name), "wb") as file:
            file.write(data)


def work(connection: Any, forwarded: str, direct: str) -> None:
    both = Calls(forwarded), Calls(direct)
    while (call := connection.recv()) is not None:
        results = [calls.do(*call) for calls in both]
        if call[0] == "open" and results != [None, None]:
            for calls in both:
                if call[1] in calls.open_files:
                    calls.do("close", call[1])
        connection.send(results)


class Driver:
    def __init__(self, forwarded: str, direct: str, seed: int):
        self.chance = random.Random(seed)
        self.workers = []
        self.opened: list[tuple[Any, int]] = []
        self.last = 0
        for _ in range(PROCESSES):
            ours, theirs = multiprocessing.Pipe()
            process = multiprocessing.Process(target=work, args=(theirs, forwarded, direct), daemon=True)
            process.start()
            self.workers.append(ours)

    def data(self) -> bytes:
        return bytes([self.chance.randrange(256)]) * self.chance.choice(SIZES)

    def on_open(self) -> tuple[Any, tuple[object, ...]]:
        """A call on a file that is open."""
        choose = self.chance.choice
        arguments = {
            "pwrite": (self.data(), choose(OFFSETS)),
            "write": (self.data(),),
            "writev": (self.data(), choose(OFFSETS)),
            "pread": (choose(SIZES), choose(OFFSETS)),
            "read": (choose(SIZES),),
            "seek": (choose(OFFSETS), choose([0, 1, 2])),
            "ftruncate": (choose(OFFSETS),),
            "fchmod": (choose([0o600, 0o644]),),
        }
        what = choose([*arguments, "fstat", "fsync", "dup", "close", "close", "close"])
        worker, number = choose(self.opened)
        if what == "close":
            self.opened.remove((worker, number))
        return worker, (what, number, *arguments.get(what, ()))

    def on_name(self) -> tuple[Any, tuple[object, ...]]:
        choose, name = self.chance.choice, self.chance.choice(NAMES)
        how = choose([0, os.O_CREAT, os.O_CREAT | os.O_EXCL, os.O_CREAT | os.O_TRUNC]) | choose(
            [0, 0, os.O_APPEND]
        )
        arguments = {
            "open": (self.last + 1, name, choose([os.O_RDONLY, os.O_WRONLY, os.O_RDWR]) | how),
            "rename": (name, choose(NAMES)),
            "link": (name, choose(NAMES)),
            "symlink": (name, choose(["a", "b", "d/a", "nowhere"])),
            "truncate": (name, choose(OFFSETS)),
            "chmod": (name, choose([0o600, 0o644, 0o755])),
            "utime": (name, self.chance.randrange(10**9)),
            "replace": (name, self.data()),
        }
        rest = ["unlink", "mkdir", "rmdir", "readlink", "stat", "lstat", "list", "whole"]
        what = choose(["open"] * 6 + [*arguments, *rest])
        self.last += 1
        return choose(self.workers), (what, *arguments.get(what, (name,)))

    def step(self) -> str:
        """What differs, or nothing."""
        on_open = self.opened and (len(self.opened) > 12 or self.chance.random() < 0.6)
        worker, call = self.on_open() if on_open else self.on_name()
        worker.send(call)
        first, second = worker.recv()
        if call[0] == "open" and first is second is None:
            self.opened.append((worker, self.last))
        words = [repr(argument)[:40] for argument in call]
        return "" if first == second else f"{' '.join(words)}: {first!r:.60} and directly {second!r:.60}"


def main() -> None:
    forwarded, direct, seed, calls = sys.argv[1:]
    multiprocessing.set_start_method("fork")
    os.umask(0o022)
    driver = Driver(forwarded, direct, int(seed))
    differences = [f"call {i}: {what}" for i in range(int(calls)) if (what := driver.step())]
    for worker in driver.workers:
        worker.send(None)
    print(*differences[:20], sep="\n", end="")
    sys.exit(bool(differences))


main()
