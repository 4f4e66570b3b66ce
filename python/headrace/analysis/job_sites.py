"""The places in the code of a whole job: added up natively, because files are many and stacks are few."""

from __future__ import annotations

from headrace import _native
from headrace.analysis.call_sites import Site, _resolved, shown_frame
from headrace.logs import JobLog

MOST_SITES = 2_000


def job_sites(
    log: JobLog, topmost: _native.Frame, system: _native.Frame, rows: list[int]
) -> tuple[list[Site], list[int]]:
    """Sites as those of `call_sites`, at most MOST_SITES; for each of `rows` the index of its open or -1.

    `rows` are those of `topmost`; both frames are merged by path.
    """
    sums, opened = log.native.site_sums(topmost, system, rows)
    order = sorted(range(len(sums)), key=lambda at: (-sums[at][2], -sums[at][3], sums[at]))[:MOST_SITES]
    stacks = _resolved(log, {sums[at][1] for at in order}, ()) if order else {}
    programs = {row["executable"] for row in log.native.frame("processes").rows(None, ["executable"])}
    sites = []
    for at in order:
        what, stack, calls, time_ns, size = sums[at]
        frames = stacks.get(stack, [])
        site = {"what": what, "stack": f"{stack:016x}", "calls": calls, "time_ns": time_ns, "bytes": size}
        sites.append(site | {"frames": frames, "show": shown_frame(frames, programs)})
    place = {at: number for number, at in enumerate(order)}
    return sites, [place.get(at, -1) for at in opened]
