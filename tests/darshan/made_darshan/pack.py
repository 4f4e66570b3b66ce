"""Bytes of a log: the header, the job record, names, and a region of records for each module."""

from __future__ import annotations

import bz2
import itertools
import struct
import zlib
from dataclasses import dataclass, field

from made_darshan.record_bytes import record_bytes
from made_darshan.records import AnyRecord
from made_darshan.releases import MODULES, RELEASES, places
from made_darshan.uses import RUN_S

_MAGIC = 6567223
_METHODS = ("zlib", "bzip2", "none")
_MOUNTS = (("/scratch", "lustre"), ("/home", "nfs"), ("/", "ext4"))


@dataclass
class Log:
    release: str
    order: str = "<"  # or ">": the byte order, as `struct` has it
    compression: str = "zlib"
    streams: int = 1  # in which a region is compressed: each process writes its own
    gap: int = 0  # zero bytes before the regions of modules
    padding: int = 0  # zero bytes behind the header and behind the job record, as some sites' logs have
    partial: tuple[str, ...] = ()  # modules for which memory ran out
    user: int = 1004
    start_s: int = 1_700_000_000
    start_ns: int = 125_000_000
    ranks: int = 4
    job_id: int = 4242
    metadata: str = ""
    command: str = "/home/user/simulate --steps 40 input.nml"
    mounts: list[tuple[str, str]] = field(
        default_factory=lambda: [("/scratch", "lustre"), ("/home", "nfs"), ("/", "ext4")]
    )
    names: dict[int, str] = field(default_factory=dict)
    modules: dict[str, list[AnyRecord]] = field(default_factory=dict)
    opaque: dict[str, bytes] = field(default_factory=dict)  # of modules whose records nobody reads here

    @property
    def format(self) -> str:
        return RELEASES[self.release][0]

    @property
    def versions(self) -> dict[str, int]:
        return RELEASES[self.release][1]


def _job(log: Log) -> bytes:
    end_s, end_ns = log.start_s + RUN_S, log.start_ns
    times = [log.start_s, log.start_ns, end_s, end_ns] if log.format >= "3.41" else [log.start_s, end_s]
    metadata = log.metadata or f"lib_ver={log.release}\nh=romio_no_indep_rw=true;cb_nodes=4\n"
    head = struct.pack(f"{log.order}{len(times) + 3}q", log.user, *times, log.ranks, log.job_id)
    lines = [log.command, *(f"{kind}\t{point}" for point, kind in log.mounts)]
    end = b"\0" if log.format >= "3.21" else b""
    return head + struct.pack("1024s", metadata.encode()) + "\n".join(lines).encode() + end


def _names(log: Log) -> bytes:
    packed = b""
    for number, name in log.names.items():
        packed += struct.pack(f"{log.order}Q", number)
        if log.format == "3.00":
            packed += struct.pack(f"{log.order}I", len(name.encode())) + name.encode()
        else:
            packed += name.encode() + b"\0"
    return packed


def _compressed(log: Log, data: bytes) -> bytes:
    if log.compression == "none":
        return data
    compress = zlib.compress if log.compression == "zlib" else bz2.compress
    cuts = [len(data) * number // log.streams for number in range(log.streams + 1)]
    return b"".join(compress(data[begin:end]) for begin, end in itertools.pairwise(cuts))


def _header(log: Log, regions: dict[str, tuple[int, int]]) -> bytes:
    wide, order, numbered = log.format >= "3.41", log.order, places(log.format)
    room = 64 if wide else 16
    partial = sum(1 << numbered.index(module) for module in log.partial)
    head = struct.pack(f"{order}8sq", log.format.encode(), _MAGIC)
    head += struct.pack(f"{order}{'B7xQ' if wide else 'B3xI'}", _METHODS.index(log.compression), partial)
    maps = [regions.get("names", (0, 0)), *(regions.get(module, (0, 0)) for module in numbered)]
    maps += [(0, 0)] * (room + 1 - len(maps))
    versions = [log.versions.get(module, 0) for module in numbered] + [0] * room
    head += b"".join(struct.pack(f"{order}QQ", *each) for each in maps[: room + 1])
    return head + struct.pack(f"{order}{room}I", *versions[:room])


def pack(log: Log) -> bytes:
    """The whole file."""
    parts = {"job": _job(log)}
    if log.names:
        parts["names"] = _names(log)
    for module in MODULES:
        if records := log.modules.get(module):
            parts[module] = b"".join(
                record_bytes(module, log.versions[module], log.order, record) for record in records
            )
        elif module in log.opaque:
            parts[module] = log.opaque[module]
    body, regions, at = bytes(log.padding), {}, len(_header(log, {}))
    for name, data in parts.items():
        if name == "names":
            body += bytes(log.padding)
        elif name != "job":
            body += bytes(log.gap)
        packed = _compressed(log, data)
        if name != "job":
            regions[name] = (at + len(body), len(packed))
        body += packed
    return _header(log, regions) + body
