"""A log of very many ranks says of all of them what there is to say."""

from __future__ import annotations

import json
import random
from pathlib import Path

from commands import headrace as command
from made_darshan.pack import Log, pack
from made_darshan.records import id_of, record
from made_darshan.uses import use

RANKS = 65_536


def test_all_ranks_of_a_small_log_are_counted(tmp_path: Path) -> None:
    log, rng, name = Log("3.5.0", ranks=RANKS), random.Random(1), "/scratch/out"
    log.names[id_of(name)] = name
    uses = [use(rng, rank, reads=2, writes=3, first=rank << 26) for rank in range(2)]
    log.modules["POSIX"] = [record("POSIX", log.versions["POSIX"], name, uses)]
    path = tmp_path / "many.darshan"
    path.write_bytes(pack(log))
    assert path.stat().st_size < 4096
    shown = command("show", path)
    assert shown.returncode == 0, shown.stderr
    assert f"{RANKS:,} processes" in shown.stdout
    assert f"{RANKS:,} ranks" in shown.stdout
    assert f"… and {RANKS - 20:,} more" in shown.stdout
    facts = json.loads(command("show", path, "--json").stdout)
    assert len(facts["processes"]) == facts["parallel"]["ranks"] == RANKS
    assert [row["rank"] for row in facts["processes"][:3]] == [0, 1, 2]
    assert facts["parallel"]["instances"][0]["ranks"] == RANKS
