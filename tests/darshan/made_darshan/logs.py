"""The made logs, by name. `MADE[name]()` gives what a log has; `pack` makes its bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from made_darshan.pack import Log
from made_darshan.program import job_of
from made_darshan.releases import RELEASES
from made_darshan.server_job import server_job


def _all() -> dict[str, Callable[[], Log]]:
    logs: dict[str, Callable[[], Log]] = {}
    for number, release in enumerate(RELEASES):
        logs[release] = partial(job_of, release)
        method = ("none", "zlib")[number % 2]
        logs[f"{release}-big"] = partial(
            job_of, release, order=">", compression=method, streams=3, others=True
        )
    logs["bzip2"] = partial(job_of, "3.5.0", compression="bzip2", streams=4)
    logs["bzip2-big"] = partial(job_of, "3.0.1", order=">", compression="bzip2")
    logs["partial"] = partial(job_of, "3.5.0", partial=("POSIX", "PNETCDF_VAR", "STDIO"))
    logs["partial-old"] = partial(job_of, "3.1.8", order=">", partial=("POSIX", "LUSTRE", "STDIO"))
    logs["padded"] = partial(job_of, "3.5.0", gap=5000)
    for method in ("none", "zlib", "bzip2"):
        logs[f"padded-header-{method}"] = partial(job_of, "3.5.0", compression=method, padding=5003)
    logs["padded-header-root"] = partial(job_of, "3.1.8", order=">", compression="none", padding=5003, user=0)
    logs["autoperf"] = partial(job_of, "3.5.0", autoperf=True)
    logs["autoperf-big"] = partial(job_of, "3.5.0", order=">", compression="none", autoperf=True)
    logs["unreduced"] = partial(job_of, "3.5.0", reduced=False)
    logs["slow-server"] = server_job
    return logs


MADE = _all()
