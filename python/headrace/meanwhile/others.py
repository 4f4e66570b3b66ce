"""Other jobs that ran at the same time: of the scheduler, of logs, and those that only Lustre knows."""

from __future__ import annotations

from typing import Any

from headrace.meanwhile.own import Own
from headrace.meanwhile.steps import moment
from headrace.study.query import Connection, rows, store

__all__ = ["MOST", "find"]

MOST = 1_000
_LONGEST = 30 * 86_400_000_000  # µs: a job of an older record without an end has ended, and nobody said so
# File systems of one node, which two nodes do not share even where their names are the same.
_LOCAL = {
    *(
        "ext2",
        "ext3",
        "ext4",
        "xfs",
        "btrfs",
        "zfs",
        "f2fs",
        "jfs",
        "reiserfs",
        "vfat",
        "exfat",
        "ntfs",
        "ntfs3",
    ),
    *(
        "iso9660",
        "squashfs",
        "overlay",
        "aufs",
        "tmpfs",
        "ramfs",
        "rootfs",
        "proc",
        "sysfs",
        "devtmpfs",
        "devpts",
    ),
    *("cgroup", "cgroup2", "debugfs", "hugetlbfs", "mqueue"),
}

Row = dict[str, Any]


def find(connection: Connection, own: Own) -> tuple[list[Row], int]:
    """Rows as docs/live.md has them, those that moved most meanwhile first; how many more logs this job has.

    `bytes_meanwhile` is what a job's files moved in this job's time if each moved its bytes evenly from its
    first open to its last I/O.
    """
    logs = _logs(connection, own)
    runs = _runs(connection, own)
    mine = [key for key, run in runs.items() if own.run and _key(own.run) == key]
    steps = [row for row in logs if own.run and _key(row, "run_") == _key(own.run) and row["log"] != own.log]
    for key in mine:
        del runs[key]
    found = {key: _of_run(run) for key, run in runs.items()}
    for row in logs:
        if row["log"] == own.log or row in steps:
            continue
        key = _key(row, "run_")
        if key not in found:
            key = ("", "", row["log"])
            found[key] = _of_log(row)
        _add(found[key], row)
    jobs = list(found.values())
    _count_at_servers(connection, own, jobs)
    for row in jobs:
        begin, end = max(row["begin"], own.begin), min(row["end"] or own.end, own.end)
        row["share"] = max(0, end - begin) / (own.end - own.begin)
    jobs.sort(key=lambda row: (-(row["bytes_meanwhile"] or -1), -(row["nodes"] or 0), str(row["job"])))
    return jobs, len(steps)


def _key(row: Row, prefix: str = "") -> tuple[Any, Any, Any]:
    begin = row["run_begin"] if prefix else row["begin"]
    return row[f"{prefix}scheduler"], row[f"{prefix}job"], begin


def _runs(connection: Connection, own: Own) -> dict[tuple[Any, Any, Any], Row]:
    found = rows(
        connection,
        'SELECT s.scheduler, s.job, s."user", coalesce(p.label, p.project, s.account) AS project,'
        ' s."name" AS program, s.nodes, s.processes, s.state, epoch_us(s."start") AS begin,'
        ' epoch_us(s."end") AS end FROM scheduled s'
        " LEFT JOIN project_of p ON p.account IS NOT DISTINCT FROM s.account"
        ' AND p."user" IS NOT DISTINCT FROM s."user"'
        f' WHERE s."start" < {moment(own.end)} AND (s."end" > {moment(own.begin)}'
        f' OR (s."end" IS NULL AND s."start" > {moment(own.begin - _LONGEST)}))',
    )
    return {_key(row): row for row in found}


def _logs(connection: Connection, own: Own) -> list[Row]:
    """With what their files moved in this job's time, in all and on file systems that this job used."""
    during = f'"start" < {moment(own.end)} AND "end" > {moment(own.begin)}'
    store(
        connection,
        "near_logs",
        'SELECT log, scheduler, scheduler_job, "user", coalesce(label, project) AS project, executable, host,'
        ' nodes, processes, files, bytes_read, bytes_written, bytes_unattributed, epoch_us("start") AS begin,'
        ' epoch_us("end") AS end, run_scheduler, run_job, epoch_us(run_start) AS run_begin'
        f" FROM log_jobs WHERE {during}",
    )
    first, last = "epoch_us(f.first_open)", "greatest(epoch_us(f.last_io), epoch_us(f.first_open) + 1)"
    moved = "(f.bytes_read + f.bytes_written)"
    part = (
        f"(greatest(0, least({last}, {own.end}) - greatest({first}, {own.begin}))"
        f" / CAST({last} - {first} AS DOUBLE))"
    )
    places = rows(
        connection,
        "SELECT log, f.mount, f.file_system AS type, sum(f.bytes_read + f.bytes_written) AS bytes,"
        f" sum({moved} * {part}) AS meanwhile FROM files f SEMI JOIN near_logs USING (log) GROUP BY ALL",
    )
    by_log: dict[int, list[Row]] = {}
    for place in places:
        by_log.setdefault(place["log"], []).append(place)
    found = rows(connection, "SELECT * FROM near_logs ORDER BY begin, log")
    for row in found:
        here = by_log.get(row["log"], [])
        evenly = max(0, min(row["end"], own.end) - max(row["begin"], own.begin)) / max(
            1, row["end"] - row["begin"]
        )
        row["meanwhile"] = sum(place["meanwhile"] or 0 for place in here) + evenly * (
            row["bytes_unattributed"] or 0
        )
        row["same"] = sorted({place["mount"] for place in here if _is_same(place, row, own)})
    return found


def _is_same(place: Row, row: Row, own: Own) -> bool:
    """Whether a mount of another log is one that this job used."""
    if not place["bytes"] or not place["mount"]:
        return False
    if (place["type"] or "") in _LOCAL and row["host"] != own.host:
        return False
    used = {
        (mount["point"], mount["type"])
        for mount in own.mounts
        if mount["bytes_read"] + mount["bytes_written"]
    }
    return (place["mount"], place["type"] or "") in used


def _new(job: Any, known: Row) -> Row:
    figures = ("files", "bytes_read", "bytes_written", "bytes_meanwhile")
    at_servers = ("server_read_bytes", "server_written_bytes", "server_metadata")
    return {
        "job": job,
        **{
            key: known.get(key)
            for key in ("scheduler", "user", "project", "program", "state", "nodes", "processes")
        },
        "begin": known["begin"],
        "end": known["end"],
        "logs": 0,
        **dict.fromkeys((*figures, *at_servers)),
        "same": [],
    }


def _of_run(run: Row) -> Row:
    return _new(run["job"], run)


def _of_log(row: Row) -> Row:
    program = (row["executable"] or "").rpartition("/")[2] or None
    return _new(row["scheduler_job"], row | {"program": program, "state": None})


def _add(job: Row, row: Row) -> None:
    job["logs"] += 1
    for name, source in (
        ("files", "files"),
        ("bytes_read", "bytes_read"),
        ("bytes_written", "bytes_written"),
        ("bytes_meanwhile", "meanwhile"),
    ):
        job[name] = (job[name] or 0) + round(row[source] or 0)
    job["same"] = sorted({*job["same"], *row["same"]})
    job["program"] = job["program"] or (row["executable"] or "").rpartition("/")[2] or None
    for name in ("nodes", "processes"):
        job[name] = job[name] if job[name] is not None else row[name]


def _count_at_servers(connection: Connection, own: Own, jobs: list[Row]) -> None:
    """Adds what Lustre's servers counted for jobs (jobstats), and those that nothing else knows."""
    part = (
        f'((least(epoch_us("end"), {own.end}) - greatest(epoch_us("start"), {own.begin}))'
        ' / CAST(epoch_us("end") - epoch_us("start") AS DOUBLE))'
    )
    found = rows(
        connection,
        f"SELECT job, sum(read_bytes * {part}) AS server_read_bytes,"
        f" sum(write_bytes * {part}) AS server_written_bytes, sum(metadata * {part}) AS server_metadata,"
        ' min(epoch_us("start")) AS begin, max(epoch_us("end")) AS end'
        " FROM (SELECT DISTINCT * FROM server_jobs) once"
        f' WHERE "end" > {moment(own.begin)} AND "start" < {moment(own.end)} AND "end" > "start"'
        " AND job IS NOT NULL GROUP BY job",
    )
    by_name = {row["job"]: row for row in jobs if row["job"] is not None}
    for row in found:
        name = row.pop("job")
        counted = {key: None if value is None else round(value) for key, value in row.items()}
        if own.name is not None and name == own.name:
            continue
        if name not in by_name:
            jobs.append(_new(name, counted | {"scheduler": "lustre"}))
            by_name[name] = jobs[-1]
        by_name[name] |= {key: counted[key] for key in counted if key.startswith("server_")}
