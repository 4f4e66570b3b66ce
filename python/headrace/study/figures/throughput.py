"""What the storage devices moved, over time (Figure 6 of the paper)."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from headrace.catalog.schema import CALENDAR_KINDS, GAP_REASONS
from headrace.study.figure import Figure, Finding
from headrace.study.query import Connection, data, rows, text, time, total
from headrace.study.scope import Scope
from headrace.study.settings import Settings
from headrace.study.words import percent, rate
from headrace.text import count, size

NO_SAMPLES = (
    "The catalog has no samples of storage devices: record them with `headrace monitor` on the file"
    " servers, or import those of sysstat or LDMS, and add them with `headrace catalog add`."
)
_POINTS = 100_000
_BANDS = 500


def throughput(connection: Connection, settings: Settings, scope: Scope) -> Figure:
    found = rows(
        connection,
        "SELECT bin, bytes_read, bytes_written FROM study_intervals WHERE counted ORDER BY bin",
    )
    merged = -(-len(found) // _POINTS)
    figure = Figure(
        "throughput",
        "Throughput of the storage devices",
        "throughput",
        data(_lines(found, scope, merged), "start time, direction text, bytes_per_s real"),
        "Bytes read and written by all devices of file systems, in intervals of"
        f" {scope.intervals.seconds * max(1, merged)} s,"
        " divided by their length. A sample that lies in several intervals is split by time.",
        "All samples of the period of devices that belong to file systems; of a server with samples of"
        " Lustre's targets these, and not those of the devices below them. Samples of arrays and of their"
        f" members both count where the device map names both. {scope.intervals.left_out()}. Intervals that"
        " are"
        " left out or have no sample are gaps in the lines.",
        encoding={"x": "start", "y": "bytes_per_s", "colour": "direction"},
        units={"bytes_per_s": "bytes/s"},
        titles={"bytes_per_s": "throughput"},
        options={"bands": _bands(connection, settings)},
        paper="Figure 6",
        missing="" if found else NO_SAMPLES,
    )
    if found:
        seconds = scope.intervals.seconds
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
        seconds = there * scope.intervals.seconds
        records.append(_record(scope, number * merged, "read", read / seconds))
        records.append(_record(scope, number * merged, "written", written / seconds))
        last = number
    return records


def _record(scope: Scope, number: int, direction: str, value: float | None) -> dict[str, Any]:
    return {"start": scope.intervals.begin(number), "direction": direction, "bytes_per_s": value}


def _bands(connection: Connection, settings: Settings) -> list[dict[str, Any]]:
    """What the calendar and the samples' gaps say; gaps of whole hosts, ten minutes or more."""
    hidden = settings.pseudonyms is not None
    calendar = rows(
        connection, 'SELECT DISTINCT "start", "end", kind, text FROM calendar ORDER BY "start", "end"'
    )
    where = " AND ".join(["coalesce(device, '') = ''", *_reaching_into(settings)])
    gaps = rows(
        connection,
        f"""SELECT "start", "end", {_REASON} AS kind, count(DISTINCT host) AS hosts FROM sample_gaps
WHERE "end" >= "start" + INTERVAL 10 MINUTE AND {where} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT {_BANDS}""",
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


_REASON = f"CASE WHEN reason IN ({', '.join(map(text, GAP_REASONS))}) THEN reason ELSE 'other' END"


def _reaching_into(settings: Settings) -> list[str]:
    return ([f'"end" > {time(settings.start)}'] if settings.start else []) + (
        [f'"start" < {time(settings.end)}'] if settings.end else []
    )


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
        "Sums of all samples; days are the time for which there is a sample of any device, so that gaps make"
        " no"
        f" average smaller. Peaks are those of intervals of {scope.intervals.seconds} s.",
        "All samples of the period of devices that belong to file systems. Of peaks"
        f" {scope.intervals.left_out()}.",
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
            "mean of devices": whole["mean"],
        }
        figure.numbers |= {} if whole["peak"] is None else {"peak of devices": whole["peak"]}
        figure.numbers |= {"share of reads of devices": whole["read_share"]} if moved else {}
    return figure


def _file_systems(connection: Connection) -> list[str]:
    return [
        row["file_system"]
        for row in rows(connection, "SELECT DISTINCT file_system FROM study_counters ORDER BY 1")
    ]


def _totals(connection: Connection, scope: Scope, file_system: str | None) -> dict[str, Any] | None:
    where = "true" if file_system is None else f"file_system = {text(file_system)}"
    sums = rows(
        connection,
        f"SELECT count(*) AS samples, {total('read_bytes', 'bytes_read')},"
        f" {total('write_bytes', 'bytes_written')}"
        f" FROM study_counters WHERE {where}",
    )[0]
    if not sums["samples"]:
        return None
    peaks = rows(
        connection,
        f"""SELECT max(bytes_read) AS peak_read, max(bytes_written) AS peak_written,
  max(bytes_read + bytes_written) AS peak
FROM (SELECT b.bin, {total("b.bytes_read", "bytes_read")}, {total("b.bytes_written", "bytes_written")}
  FROM study_bins b JOIN study_intervals i ON i.bin = b.bin
  WHERE i.counted AND {where} GROUP BY b.bin) bins""",
    )[0]
    seconds = _sampled(connection, where)
    days, moved = seconds / 86400, sums["bytes_read"] + sums["bytes_written"]
    return {
        "file_system": file_system or "all",
        "bytes_read": sums["bytes_read"],
        "bytes_written": sums["bytes_written"],
        "read_share": sums["bytes_read"] / moved if moved else None,
        "read_per_day": sums["bytes_read"] / days,
        "written_per_day": sums["bytes_written"] / days,
        **{key: None if most is None else most / scope.intervals.seconds for key, most in peaks.items()},
        "mean": moved / seconds,
        "days": days,
    }


def _sampled(connection: Connection, where: str) -> float:
    """Seconds for which there is a sample: of samples in order what each adds to those before."""
    found = rows(
        connection,
        f"""SELECT sum(ended - greatest(began, coalesce(before, began))) / 1e6 AS seconds FROM (
  SELECT began, ended,
    max(ended) OVER (ORDER BY began, ended ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM (SELECT DISTINCT began, ended FROM study_counters WHERE {where}) spans) ordered
WHERE before IS NULL OR ended > before""",
    )
    return float(found[0]["seconds"])


def sample_gaps(connection: Connection, settings: Settings, _: Scope) -> Figure:
    where = " AND ".join(_reaching_into(settings)) or "true"
    found = rows(
        connection,
        f'SELECT DISTINCT "start", "end", host, device, {_REASON} AS reason FROM sample_gaps WHERE {where}',
    )
    sums: dict[str, tuple[int, float, set[str]]] = {}
    for row in found:
        gaps, hours, hosts = sums.get(row["reason"], (0, 0.0, set()))
        lasted = max(0.0, (row["end"] - row["start"]).total_seconds() / 3600)  # a clock may be put back
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
