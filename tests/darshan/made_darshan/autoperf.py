"""Records of AutoPerf's modules: calls of MPI by rank (APMPI), and routers of a Cray XC (APXC).

Facts of AutoPerf's headers darshan-apmpi-log-format.h and darshan-apxc-log-format.h, version 1 of both. The
first record of a region is a header, all others are alike.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from made_darshan.counters import words

_MOVES = words("SEND SSEND RSEND BSEND RECV SENDRECV SENDRECV_REPLACE ISEND ISSEND IRSEND IBSEND IRECV")
_WAITS = words("PROBE IPROBE TEST TESTANY TESTALL TESTSOME WAIT WAITANY WAITALL WAITSOME")
_COLLECTIVES = words(
    "BCAST GATHER GATHERV SCATTER SCATTERV SCAN EXSCAN ALLGATHER ALLGATHERV REDUCE ALLREDUCE "
    "REDUCE_SCATTER ALLTOALL ALLTOALLV ALLTOALLW"
)
_ONE_SIDED = words("PUT GET ACCUMULATE GET_ACCUMULATE")
_WINDOWS = words(
    "FETCH_AND_OP COMPARE_AND_SWAP WIN_FENCE WIN_START WIN_COMPLETE WIN_POST WIN_WAIT WIN_TEST WIN_LOCK "
    "WIN_UNLOCK WIN_UNLOCK_ALL WIN_FLUSH WIN_FLUSH_ALL WIN_FLUSH_LOCAL WIN_FLUSH_LOCAL_ALL WIN_SYNC"
)
_FUNCTIONS = [
    *_MOVES, *_WAITS, "BARRIER", "IBARRIER", *_COLLECTIVES, *(f"I{name}" for name in _COLLECTIVES),
    *_ONE_SIDED, *_WINDOWS,
]  # fmt: skip
_WITHOUT_BYTES = {*_WAITS, "BARRIER", "IBARRIER", *_WINDOWS}
_SPANS = words("0_256 256_1K 1K_8K 8K_256K 256K_1M 1M_PLUS")


def _counts(function: str) -> list[str]:
    more = [] if function in _WITHOUT_BYTES else ["TOTAL_BYTES", *(f"MSG_SIZE_AGG_{span}" for span in _SPANS)]
    return [f"MPI_{function}_{what}" for what in ("CALL_COUNT", *more)]


COUNTS = [name for function in _FUNCTIONS for name in _counts(function)]
TIMES = [
    *(f"MPI_{function}_{what}_TIME" for function in _FUNCTIONS for what in ("TOTAL", "MIN", "MAX")),
    *(f"MPI_{function}_TOTAL_SYNC_TIME" for function in ("BARRIER", *_COLLECTIVES)),
    "MPI_TOTAL_COMM_TIME", "MPI_TOTAL_COMM_SYNC_TIME",
]  # fmt: skip
PORTS = [
    *(
        f"AR_RTR_{row}_{column}_INQ_PRF_{what}"
        for row in range(5)
        for column in range(8)
        for what in (*(f"INCOMING_FLIT_VC{channel}" for channel in range(8)), "ROWBUS_STALL_CNT")
    ),
    *(
        f"AR_RTR_PT_5_{column}_INQ_PRF_{what}"
        for column in range(8)
        for what in ("INCOMING_FLIT_VC0", "INCOMING_FLIT_VC4", "REQ_ROWBUS_STALL_CNT", "RSP_ROWBUS_STALL_CNT")
    ),
]
HEADERS = {
    "APMPI": ("Qqq I4x dd", ["magic", "sync_timed", "time_variance", "sync_time_variance"]),
    "APXC": (
        "Qqq qqqqqQ",
        ["magic", "blades", "chassis", "groups", "memory_mode", "cluster_mode", "application"],
    ),
}
RECORDS = {
    "APMPI": (f"Qq {len(COUNTS)}Q {len(TIMES)}d 128s", [*COUNTS, *TIMES, "node_name"]),
    "APXC": (f"Qq 4q {len(PORTS)}Q", ["group", "chassis", "blade", "node", *PORTS]),
}
_MAGIC = {"APMPI": b"APMPI", "APXC": b"AUTOPERF"}


@dataclass(frozen=True)
class Plain:
    """A record of AutoPerf: `is_header` is the first one of its region."""

    module: str
    is_header: bool
    id: int
    rank: int
    values: dict[str, float | str]

    def packed(self, order: str) -> bytes:
        form, names = (HEADERS if self.is_header else RECORDS)[self.module]
        values = [self.values[name] for name in names]
        fields = [value.encode() if isinstance(value, str) else value for value in values]
        return struct.pack(order + form.replace(" ", ""), self.id, self.rank, *fields)


def _header(module: str, number: int, **values: float) -> Plain:
    magic = int.from_bytes(_MAGIC[module], "big")
    return Plain(module, True, number, 0, {"magic": magic, **values})


def calls_of_mpi(number: int, ranks: int) -> list[Plain]:
    """Each rank sends, receives and reduces; other functions are not called."""
    made = [_header("APMPI", number, sync_timed=1, time_variance=0.25, sync_time_variance=0.125)]
    for rank in range(ranks):
        values: dict[str, float | str] = {**dict.fromkeys(COUNTS, 0), **dict.fromkeys(TIMES, 0.0)}
        for function, calls, size in (("SEND", 3 + rank, 100), ("IRECV", 2, 4096), ("ALLREDUCE", 7, 8)):
            values[f"MPI_{function}_CALL_COUNT"] = calls
            values[f"MPI_{function}_TOTAL_BYTES"] = calls * size
            values[f"MPI_{function}_MSG_SIZE_AGG_{'1K_8K' if size > 1024 else '0_256'}"] = calls
            values[f"MPI_{function}_TOTAL_TIME"] = calls * 0.5
            values[f"MPI_{function}_MIN_TIME"] = 0.25
            values[f"MPI_{function}_MAX_TIME"] = 0.75
        values |= {
            "MPI_WAITALL_CALL_COUNT": 2,
            "MPI_WAITALL_TOTAL_TIME": 0.0625,
            "MPI_WAITALL_MAX_TIME": 0.03125,
        }
        values |= {"MPI_ALLREDUCE_TOTAL_SYNC_TIME": 1.5, "MPI_TOTAL_COMM_SYNC_TIME": 1.5}
        values["MPI_TOTAL_COMM_TIME"] = (3 + rank + 2 + 7) * 0.5 + 0.0625 + 1.5
        made.append(Plain("APMPI", False, number, rank, {**values, "node_name": f"node{rank // 2}"}))
    return made


def routers(number: int) -> list[Plain]:
    rng = random.Random("routers")
    made = [
        _header(
            "APXC",
            number,
            blades=3,
            chassis=2,
            groups=1,
            memory_mode=4,
            cluster_mode=2 | 1 << 31,
            application=99,
        )
    ]
    for rank in (0, 2):
        place = {"group": 1, "chassis": rank, "blade": 7, "node": rank + 1}
        counts = {name: rng.randrange(1 << 40) for name in PORTS}
        made.append(Plain("APXC", False, number, rank, {**place, **counts}))
    return made
