"""What devices did during a job, beside what they do at other times."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from headrace.meanwhile.steps import Steps, moment
from headrace.study.query import Connection, rows, text

__all__ = ["file_systems", "gaps", "moved", "picture", "servers", "uncovered"]

MOST_GAPS = 500
Row = dict[str, Any]


def _part(begin: int, end: int) -> str:
    """The part of a sample that lies between two moments: what it counted is spread evenly."""
    return f"(greatest(0, least(b, {end}) - greatest(a, {begin})) / CAST(b - a AS DOUBLE))"


def _sums(begin: int, end: int) -> str:
    part = _part(begin, end)
    known = "CASE WHEN {0} IS NOT NULL THEN (b - a) * " + part + " END"
    columns = [
        f"CAST(round(sum({source} * {part})) AS BIGINT) AS {name}"
        for source, name in (
            ("read_bytes", "read_bytes"), ("write_bytes", "written_bytes"), ("metadata", "metadata"),
        )
    ]  # fmt: skip
    for name in ("busy", "queue"):
        columns.append(
            f"sum({name}_ms * 1000 * {part}) / nullif(sum({known.format(name + '_ms')}), 0) AS {name}"
        )
    return ", ".join([*columns, f"sum((b - a) * {part}) AS covered"])


def moved(row: Row) -> int | None:
    """Bytes in both directions; None: neither is recorded."""
    known = [row[key] for key in ("read_bytes", "written_bytes") if row[key] is not None]
    return sum(known) if known else None


def _rate(row: Row, length: int) -> float | None:
    """Bytes per second of the time that is sampled."""
    bytes_, seconds = moved(row), length * row["covered"] / 1e6
    return bytes_ / seconds if seconds and bytes_ is not None else None


def file_systems(connection: Connection, begin: int, end: int, width: int) -> list[Row]:
    """A row each, those that moved most first; `name` None: of no device map.

    `quiet`, `usual`, `peak`: bytes per second that one step in ten of all samples does not exceed, one in
    two, and every one. Steps count of which at least half is sampled. `below`: the share of them with less
    than this job's time had on average.
    """
    where = f"b > {begin} AND a < {end}"
    found = rows(
        connection,
        "SELECT fs AS name, count(DISTINCT (host, device)) AS devices, count(DISTINCT server) AS servers,"
        f" {_sums(begin, end)} FROM near WHERE {where} GROUP BY fs",
    )
    for row in found:
        whole = (end - begin) * row["devices"]
        row["covered"] = min(1.0, row["covered"] / whole)
        row["rate"] = _rate(row, end - begin)
        row |= _levels(connection, row["name"], width, row["rate"] or 0.0)
        row["name"] = row["name"] or None
    return sorted(found, key=lambda row: (-(moved(row) or 0), row["name"] or ""))


def _levels(connection: Connection, name: str, width: int, mean: float) -> Row:
    found = rows(
        connection,
        f"WITH of_all AS (SELECT step, sum(moved) / {width / 1e6} AS rate, sum(covered) AS covered"
        f" FROM levels WHERE fs = {text(name)} GROUP BY step), kept AS (SELECT * FROM of_all WHERE covered >="
        " (SELECT max(covered) / 2 FROM of_all)) SELECT quantile_cont(rate, 0.1) AS quiet,"
        " median(rate) AS usual, max(rate) AS peak, arg_max(step, rate) AS at,"
        f" avg(CASE WHEN rate < {mean!r} THEN 1.0 ELSE 0.0 END) AS below, count(*) AS steps FROM kept",
    )[0]
    at = found.pop("at")
    return found | {"peak_us": None if at is None else at * width}


def servers(connection: Connection, begin: int, end: int, width: int) -> list[Row]:
    """A row a server and file system, those that moved most first; `usual` as of file systems."""
    found = rows(
        connection,
        f"SELECT server, fs AS file_system, count(DISTINCT (host, device)) AS devices, {_sums(begin, end)}"
        f" FROM near WHERE b > {begin} AND a < {end} GROUP BY server, fs",
    )
    usual = {
        (row["server"], row["fs"]): row["usual"]
        for row in rows(
            connection,
            f"SELECT server, fs, median(moved / {width / 1e6}) AS usual FROM (SELECT *, max(covered) OVER"
            " (PARTITION BY server, fs) AS most FROM levels) WHERE 2 * covered >= most GROUP BY server, fs",
        )
    }
    for row in found:
        row["usual"] = usual.get((row["server"], row["file_system"]))
        row["covered"] = min(1.0, row["covered"] / ((end - begin) * row["devices"]))
        row["rate"] = _rate(row, end - begin)
        row["file_system"] = row["file_system"] or None
    return sorted(found, key=lambda row: (-(moved(row) or 0), row["server"]))


def picture(connection: Connection, steps: Steps, names: list[str | None]) -> list[Row]:
    """For each file system bytes by step, None where no sample is, and the share of its devices' time."""
    w = steps.width
    part = f"((least(b, (step + 1) * {w}) - greatest(a, step * {w})) / CAST(b - a AS DOUBLE))"
    found = rows(
        connection,
        f"""WITH cut AS (SELECT fs, a, b, read_bytes, write_bytes,
  unnest(range(greatest(a, {steps.begin}) // {w}, (least(b, {steps.end}) - 1) // {w} + 1)) AS step FROM near)
SELECT fs, step, sum(read_bytes * {part}) AS read, sum(write_bytes * {part}) AS written,
  sum((b - a) * {part}) / {w}
  / (SELECT count(DISTINCT (host, device)) FROM near n WHERE n.fs = cut.fs) AS covered
FROM cut GROUP BY fs, step""",
    )
    lines = []
    for name in names:
        line: Row = {
            "file_system": name,
            **{key: [None] * steps.count for key in ("read", "written", "covered")},
        }
        for row in found:
            place = row["step"] - steps.first
            if row["fs"] == (name or "") and 0 <= place < steps.count:
                for key in ("read", "written"):
                    line[key][place] = None if row[key] is None else round(row[key])
                line["covered"][place] = round(min(1.0, row["covered"]), 4)
        lines.append(line)
    return lines


def uncovered(connection: Connection, begin: int, end: int) -> list[Row]:
    """Devices that were sampled before and after, and for how much of the time in between they were not.

    One row a host and length: `devices` of it.
    """
    seconds = f'greatest(0, least(epoch_us("end"), {end}) - greatest(epoch_us("start"), {begin}))'
    found = rows(
        connection,
        f"""SELECT server, host, device, {end} - {begin} - sum({seconds}) AS missing FROM device_minutes
WHERE kind <> 'lustre_llite' GROUP BY server, host, device
HAVING min("start") < {moment(end)} AND max("end") > {moment(begin)} ORDER BY host, missing, device""",
    )
    rest = [row | {"missing": int(row["missing"])} for row in found if row["missing"] >= 500_000]
    return [
        {
            "server": key[0],
            "host": key[1],
            "missing_ns": key[2] * 1000,
            "devices": [row["device"] for row in group],
        }
        for key, group in (
            (key, list(rows_of))
            for key, rows_of in groupby(rest, lambda row: (row["server"], row["host"], row["missing"]))
        )
    ]


def gaps(connection: Connection, begin: int, end: int) -> tuple[list[Row], int]:
    """Spans that the monitors know of, at most MOST_GAPS, and how many there are."""
    # After a clock was put back, a gap ends before it starts.
    where = (
        f'greatest("start", "end") > {moment(begin)} AND least("start", "end") < {moment(end)}'
        " AND host IN (SELECT host FROM device_minutes)"
    )
    found = rows(
        connection,
        'SELECT DISTINCT host, device, epoch_us("start") AS a, epoch_us("end") AS b, reason FROM sample_gaps'
        f" WHERE {where} ORDER BY a, host, device LIMIT {MOST_GAPS}",
    )
    count = rows(
        connection, f"SELECT count(*) AS n FROM (SELECT DISTINCT * FROM sample_gaps WHERE {where}) once"
    )[0]["n"]
    return found, int(count)
