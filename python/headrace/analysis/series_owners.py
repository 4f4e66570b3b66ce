"""Whose series are: of each process, the rank that it is or that started it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.analysis.phase_ranks import Member, members
from headrace.analysis.processes import process_rows, stand_ins
from headrace.logs import JobLog


@dataclass(frozen=True)
class Owners:
    """Processes by member. What started ranks, as mpirun, is nobody's: it moves what it needs itself."""

    members: list[Member]
    owned: list[list[int]]  # of each member, its own process first
    others: list[int]  # of no member: started by no rank, or what stands for ranks

    @property
    def processes(self) -> list[int]:
        return [process for each in self.owned for process in each] + self.others


def owners(log: JobLog) -> Owners:
    who = members(log)
    place = {member.process: at for at, member in enumerate(who)}
    rows = process_rows(log)
    above = _above_ranks(rows)
    line: dict[int, int] = {}  # -1: of no member
    for row in rows:  # parents come first
        process = row["process"]
        inherited = -1 if row["rank"] >= 0 else line.get(row["parent"], -1)
        line[process] = place.get(process, inherited)
    owned = [[member.process] for member in who]
    others = list(stand_ins(log))
    for process, at in line.items():
        if at >= 0 and process not in place:
            owned[at].append(process)
        elif at < 0 and process not in above:
            others.append(process)
    return Owners(who, owned, others)


def _above_ranks(rows: list[dict[str, Any]]) -> set[int]:
    """Processes that are no ranks and started some."""
    by_id = {row["process"]: row for row in rows}
    above: set[int] = set()
    for row in rows:
        at = by_id.get(row["parent"]) if row["rank"] >= 0 else None
        while at is not None and at["rank"] < 0 and at["process"] not in above:
            above.add(at["process"])
            at = by_id.get(at["parent"])
    return above
