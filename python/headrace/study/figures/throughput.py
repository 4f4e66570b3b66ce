"""What the storage devices moved, over time (Figure 6 of the paper)."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from headrace.catalog.schema import CALENDAR_KINDS
from headrace.study.figure import Figure, Finding
from headrace.study.query import Connection, data, rows, text, time, total
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import count, percent, rate, size

NO_SAMPLES = (
    "The catalog has no samples of storage devices: record them with `headrace monitor` on the file"
    " servers, or import those of sysstat or LDMS, and add them with `headrace catalog add`."
)
_POINTS = 100_000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def at(scope: Scope, number: int) -> datetime:
    """Begin of an interval of study_bins."""
    return _EPOCH + timedelta(seconds=number * scope.bin_seconds)


def throughput(connection: Connection, settings: Settings, scope: Scope) -> Figure:
    found = rows(
        connection,
        f"SELECT bin, {total('bytes_read')}, {total('bytes_written')} FROM study_bins WHERE short GROUP BY"
        " bin ORDER BY bin",
    )
    merged = -(-len(found) // _POINTS)
    figure = Figure(
        "throughput",
        "Throughput of the storage devices",
        "throughput",
        data(_lines(found, scope, merged), "start time, direction text, bytes_per_s real"),
        "Bytes read and written by all devices of file systems, in intervals of"
        f" {scope.bin_seconds * max(1, merged)} s,"
        " divided by their length. A sample that lies in several intervals is split by time.",
        "All samples of the period of devices that belong to file systems; of a server with samples of"
        " Lustre's targets these, and not those of the devices below them. Samples of arrays and of their"
        f" members both count where the device map names both. {scope.long_samples:,} samples of more than a"
        " hundred intervals are left out here, and counted in the totals. Intervals without any sample are"
        " gaps in the lines.",
        encoding={"x": "start", "y": "bytes_per_s", "colour": "direction"},
        units={"bytes_per_s": "bytes/s"},
        titles={"bytes_per_s": "throughput"},
        options={"bands": _bands(connection, settings)},
        paper="Figure 6",
        missing="" if found else NO_SAMPLES,
    )
    if found:
        seconds = scope.bin_seconds
        read, written = (max(row[key] for row in found) / seconds for key in ("bytes_read", "bytes_written"))
        figure.words = [
            f"The greatest throughput of an interval was {rate(read)} read and {rate(written)} written."
        ]
    return figure


def _lines(found: list[dict[str, Any]], scope: Scope, merged: int) -> list[dict[str, Any]]:
    """Two records an interval; an empty one where a gap begins, so that lines end there."""
    sums: dict[int, list[int]] = {}
    for row in found:
        kept = sums.setdefault(row["bin"] // merged, [0, 0, 0])
        for place, value in enumerate((row["bytes_read"], row["bytes_written"], 1)):
            kept[place] += value
    records: list[dict[str, Any]] = []
    last = None
    for number, (read, written, there) in sums.items():
        if last is not None and number != last + 1:
            records += [_record(scope, (last + 1) * merged, name, None) for name in ("read", "written")]
        seconds = there * scope.bin_seconds
        records.append(_record(scope, number * merged, "read", read / seconds))
        records.append(_record(scope, number * merged, "written", written / seconds))
        last = number
    return records


def _record(scope: Scope, number: int, direction: str, value: float | None) -> dict[str, Any]:
    return {"start": at(scope, number), "direction": direction, "bytes_per_s": value}


def _bands(connection: Connection, settings: Settings) -> list[dict[str, Any]]:
    """What the calendar and the samples' gaps say; gaps of all devices of a host, ten minutes or more."""
    hidden = settings.pseudonyms is not None
    calendar = rows(
        connection, 'SELECT DISTINCT "start", "end", kind, text FROM calendar ORDER BY "start", "end"'
    )
    gaps = rows(
        connection,
        """SELECT "start", "end", reason AS kind, count(DISTINCT host) AS hosts FROM sample_gaps
WHERE "end" >= "start" + INTERVAL 10 MINUTE GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT 500""",
    )
    for row in calendar:
        row["kind"] = row["kind"] if row["kind"] in CALENDAR_KINDS else "note"
    bands = [{**row, "text": row["kind"] if hidden else row["text"] or row["kind"]} for row in calendar]
    bands += [
        {**gap, "kind": "gap", "text": f"no samples of {count(gap['hosts'], 'host')}: {gap['kind']}"}
        for gap in gaps
    ]
    inside = [band for band in bands if band["start"] and band["end"] and _inside(band, settings)]
    return [
        {"start": _iso(band["start"]), "end": _iso(band["end"]), "kind": band["kind"], "text": band["text"]}
        for band in inside
    ]


def _inside(band: dict[str, Any], settings: Settings) -> bool:
    after = settings.start is None or band["end"] > settings.start
    return after and (settings.end is None or band["start"] < settings.end)


def _iso(when: datetime) -> str:
    return when.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def throughput_totals(connection: Connection, _: Settings, scope: Scope) -> Figure:
    records = [
        record
        for record in (_totals(connection, scope, name) for name in [None, *_file_systems(connection)])
        if record is not None
    ]
    figure = Figure(
        "throughput_totals",
        "What the devices moved",
        "table",
        data(
            records,
            "file_system text, bytes_read int, bytes_written int, read_share real, read_per_day real,"
            " written_per_day real, peak_read real, peak_written real, peak real, mean real, days real",
        ),
        "Sums of all samples; days are the time in which there are samples, so that gaps make no average"
        f" smaller. Peaks are those of intervals of {scope.bin_seconds} s.",
        "All samples of the period of devices that belong to file systems; peaks leave out"
        f" {scope.long_samples:,} samples of more than a hundred intervals.",
        units={
            **dict.fromkeys(("bytes_read", "bytes_written", "read_per_day", "written_per_day"), "bytes"),
            **dict.fromkeys(("peak_read", "peak_written", "peak", "mean"), "bytes/s"),
            "read_share": "share",
        },
        paper="Section IV",
        missing="" if records else NO_SAMPLES,
    )
    if records:
        whole = records[0]
        moved = whole["bytes_read"] + whole["bytes_written"]
        words = (
            f"The devices read {size(whole['bytes_read'])} and wrote {size(whole['bytes_written'])}:"
            f" {size(whole['read_per_day'])} and {size(whole['written_per_day'])} a day"
            + (f"; {percent(whole['read_share'])} of it were reads." if moved else ".")
        )
        figure.words, figure.findings = [words], [Finding(words, "throughput_totals", 0.8)]
        figure.numbers = {
            "bytes of devices": float(moved),
            "peak of devices": whole["peak"],
            "mean of devices": whole["mean"],
        }
        figure.numbers |= {"share of reads of devices": whole["read_share"]} if moved else {}
    return figure


def _file_systems(connection: Connection) -> list[str]:
    return [
        row["file_system"]
        for row in rows(connection, "SELECT DISTINCT file_system FROM study_bins ORDER BY 1")
    ]


def _totals(connection: Connection, scope: Scope, file_system: str | None) -> dict[str, Any] | None:
    where = "true" if file_system is None else f"file_system = {text(file_system)}"
    sums = rows(
        connection,
        f"""SELECT count(*) AS bins, {total("bytes_read")}, {total("bytes_written")},
  CAST(coalesce(max(short_read), 0) AS BIGINT) AS peak_read,
  CAST(coalesce(max(short_written), 0) AS BIGINT) AS peak_written,
  CAST(coalesce(max(short_read + short_written), 0) AS BIGINT) AS peak
FROM (SELECT bin, sum(bytes_read) AS bytes_read, sum(bytes_written) AS bytes_written,
  sum(CASE WHEN short THEN bytes_read ELSE 0 END) AS short_read,
  sum(CASE WHEN short THEN bytes_written ELSE 0 END) AS short_written
  FROM study_bins WHERE {where} GROUP BY bin) bins""",
    )[0]
    if not sums["bins"]:
        return None
    seconds = sums["bins"] * scope.bin_seconds
    days, moved = seconds / 86400, sums["bytes_read"] + sums["bytes_written"]
    return {
        "file_system": file_system or "all",
        "bytes_read": sums["bytes_read"],
        "bytes_written": sums["bytes_written"],
        "read_share": sums["bytes_read"] / moved if moved else None,
        "read_per_day": sums["bytes_read"] / days,
        "written_per_day": sums["bytes_written"] / days,
        **{key: sums[key] / scope.bin_seconds for key in ("peak_read", "peak_written", "peak")},
        "mean": moved / seconds,
        "days": days,
    }


def sample_gaps(connection: Connection, settings: Settings, _: Scope) -> Figure:
    where = " AND ".join(
        ([f'"end" > {time(settings.start)}'] if settings.start else [])
        + ([f'"start" < {time(settings.end)}'] if settings.end else [])
    )
    found = rows(
        connection,
        f'SELECT DISTINCT "start", "end", host, device, reason FROM sample_gaps WHERE {where or "true"}',
    )
    sums: dict[str, tuple[int, float, set[str]]] = {}
    for row in found:
        gaps, hours, hosts = sums.get(row["reason"], (0, 0.0, set()))
        lasted = (row["end"] - row["start"]).total_seconds() / 3600
        sums[row["reason"]] = (gaps + 1, hours + lasted, hosts | {row["host"]})
    records = [
        {"reason": reason, "gaps": gaps, "hours": hours, "hosts": len(hosts)}
        for reason, (gaps, hours, hosts) in sorted(sums.items())
    ]
    return Figure(
        "sample_gaps",
        "Times without samples",
        "table",
        data(records, "reason text, gaps int, hours real, hosts int"),
        "Spans for which a host has no samples of a device or of all, by reason; hours are added over hosts"
        " and devices. Of missed and lost ones only the course is not known: the sample that ends with such"
        " a gap has what was done meanwhile.",
        "All gaps that lie in the period or reach into it.",
        units={"gaps": "count", "hosts": "count"},
        paper="Section II-A",
        missing="" if records else "No gap is in the catalog.",
    )
