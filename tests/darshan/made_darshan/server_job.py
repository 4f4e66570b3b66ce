"""A job whose ranks write a file each, on object servers; one server is slow."""

from __future__ import annotations

import random

from made_darshan.pack import Log
from made_darshan.records import Component, Stripes, id_of, record
from made_darshan.uses import use

RANKS, SERVERS, SLOW = 96, 24, 14


def server_job() -> Log:
    log, rng = Log("3.1.3", ranks=RANKS), random.Random("servers")
    files, stripes = log.modules.setdefault("POSIX", []), log.modules.setdefault("LUSTRE", [])
    for rank in range(RANKS):
        name, server = f"/scratch/part{rank:05}", rank % SERVERS
        work = use(rng, rank, reads=4, writes=12, slower=90 if server == SLOW else 1)
        log.names[id_of(name)] = name
        files.append(record("POSIX", log.versions["POSIX"], name, [work]))
        stripes.append(Stripes(id_of(name), rank, [Component((1 << 20, 1, 1, 0, 0, -1, 0))], [server]))
    return log
