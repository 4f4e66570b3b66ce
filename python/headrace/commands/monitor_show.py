"""`headrace monitor show`."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any

import click

from headrace import samples
from headrace._errors import UsageError
from headrace.commands._device_map import MapRow, place_of, read_map
from headrace.commands._terminal import working
from headrace.commands._text import printable

if TYPE_CHECKING:
    import pyarrow

_UTC = datetime.timezone.utc
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=_UTC)
_RATES = ("reads", "read_bytes", "writes", "write_bytes", "busy_ms", "queue_ms")
_SUMS = ("reads", "read_bytes", "writes", "write_bytes", "busy_ms", "queue_ms", "metadata", "span_us")


@click.command("show")
@click.argument("store")
@click.option("--since", metavar="TIME", help="Only samples that end after it, as 2026-11-24T04:00 (UTC).")
@click.option("--until", metavar="TIME", help="Only samples that begin before it.")
@click.option("--map", "map_file", metavar="FILE", help="A device map (CSV): adds up servers.")
@click.option("--gaps", is_flag=True, help="List spans without samples, and why.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for machines.")
def command(
    store: str, since: str | None, until: str | None, map_file: str | None, gaps: bool, as_json: bool
) -> None:
    """Show what devices did: a row each, with means over the time that samples cover.

    STORE is a directory of `headrace monitor --at`, also while it runs, or one file of it. Peaks are of
    the busiest sample. A device map has the columns host, device (patterns), server and file_system.

    \b
    Example:
      headrace monitor show /var/lib/headrace --since 2026-11-24T04:00
      headrace monitor show /var/lib/headrace --gaps
    """
    begin, end = _moment(since, "--since"), _moment(until, "--until")
    rows = read_map(map_file) if map_file else None
    problems: list[str] = []
    devices: dict[tuple[str, str, str], dict[str, Any]] = {}
    spans: list[dict[str, Any]] = []
    with working(f"reading {printable(store)}"):
        for tables in samples.each(store, problems):
            _add(devices, _chosen(tables["samples"], begin, end), rows)
            spans += _spans(_chosen(tables["sample_gaps"], begin, end))
    found = [_figures(key, sums) for key, sums in sorted(devices.items())]
    if as_json:
        click.echo(json.dumps({"devices": found, "gaps": spans, "problems": problems}, indent=1))
        return
    _print(found, spans, gaps)
    if not found:
        asked = " of that time" if begin or end else ""
        click.echo(f"headrace: {printable(store)}: has no samples{asked}", err=True)
    for problem in problems:
        click.echo(f"headrace: {printable(problem)}", err=True)


def _moment(text: str | None, option: str) -> datetime.datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise UsageError(f"{option}: '{text}' is no time such as 2026-11-24T04:00") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=_UTC)


def _chosen(
    table: pyarrow.Table, begin: datetime.datetime | None, end: datetime.datetime | None
) -> pyarrow.Table:
    import pyarrow
    import pyarrow.compute as compute

    time = pyarrow.timestamp("us", tz="UTC")
    if begin is not None:
        table = table.filter(compute.greater(table["end"], pyarrow.scalar(begin, time)))
    if end is not None:
        table = table.filter(compute.less(table["start"], pyarrow.scalar(end, time)))
    return table


def _add(
    devices: dict[tuple[str, str, str], dict[str, Any]], table: pyarrow.Table, rows: list[MapRow] | None
) -> None:
    """Sums of one file's samples, device by device, onto those of others."""
    import pyarrow
    import pyarrow.compute as compute

    start, end = table["start"].cast(pyarrow.int64()), table["end"].cast(pyarrow.int64())
    span = compute.max_element_wise(compute.subtract(end, start), 1)
    read, written, span_real = (
        column.cast("double", safe=False) for column in (table["read_bytes"], table["write_bytes"], span)
    )
    rate = compute.divide(compute.add(read, written), compute.divide(span_real, 1e6))
    table = (
        table.append_column("span_us", span)
        .append_column("rate", rate)
        .append_column("start_us", start)
        .append_column("end_us", end)
    )
    for name in _RATES:  # the time in which it is known: what is imported has not all of them
        known = compute.if_else(compute.is_valid(table[name]), table["span_us"], 0)
        table = table.append_column(f"{name}_known_us", known)
    summed = (*_SUMS, *(f"{name}_known_us" for name in _RATES))
    for name in summed:
        table = table.set_column(table.column_names.index(name), name, _with_room(table[name]))
    sums = [(name, "sum") for name in summed] + [
        ("rate", "max"), ("start_us", "min"), ("end_us", "max"), ("span_us", "count"),
    ]  # fmt: skip
    for row in table.group_by(["host", "kind", "device"]).aggregate(sums).to_pylist():
        name = row["device"]
        host = row["host"]
        if rows is not None:
            server, file_system = place_of(rows, host, name)
            if not file_system:
                continue
            host, name = server, file_system
        into = devices.setdefault((host, row["kind"], name), {"devices": set()})
        into["devices"].add((row["host"], row["device"]))
        for key, value in row.items():
            if key.endswith(("_sum", "_count")):
                known = [int(one) for one in (into.get(key), value) if one is not None]
                into[key] = sum(known) if known else None
        # Peaks of different devices need not be at one time: the largest of one is shown.
        into["rate_max"] = max(into.get("rate_max", 0.0), row["rate_max"] or 0.0)
        into["start_us"] = min(into.get("start_us", row["start_us_min"]), row["start_us_min"])
        into["end_us"] = max(into.get("end_us", row["end_us_max"]), row["end_us_max"])


def _with_room(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """Sums of 64 bits that do not fit go on at their other end; those of decimals have room."""
    import pyarrow
    import pyarrow.compute as compute

    most = compute.max(column).as_py() or 0
    return column if most * len(column) < 1 << 63 else column.cast(pyarrow.decimal128(38))


def _figures(key: tuple[str, str, str], sums: dict[str, Any]) -> dict[str, Any]:
    host, kind, name = key
    count = len(sums["devices"])
    seconds = sums["span_us_sum"] / 1e6 / count  # that samples cover, of one device
    rates = {name: _rate(sums[f"{name}_sum"], sums[f"{name}_known_us_sum"], count) for name in _RATES}
    busy, queue = rates.pop("busy_ms"), rates.pop("queue_ms")
    return {
        "host": host,
        "kind": kind,
        "device": name,
        "devices": count,
        "samples": sums["span_us_count"],
        "start": _iso(sums["start_us"]),
        "end": _iso(sums["end_us"]),
        "covered_seconds": seconds,
        "reads": sums["reads_sum"],
        "read_bytes": sums["read_bytes_sum"],
        "writes": sums["writes_sum"],
        "write_bytes": sums["write_bytes_sum"],
        "metadata": sums["metadata_sum"],
        **{f"{name}_per_s": rate for name, rate in rates.items()},
        "peak_bytes_per_s": sums["rate_max"],
        "busy_share": None if busy is None else busy / 1e3 / count,
        "queue_length": None if queue is None else queue / 1e3 / count,
    }


def _rate(total: int | None, known_us: int, devices: int) -> float | None:
    """Of all devices together, by second of the time in which it is known."""
    return None if total is None or not known_us else total / (known_us / 1e6 / devices)


def _iso(microseconds: int) -> str:
    try:
        moment = _EPOCH + datetime.timedelta(microseconds=microseconds)
    except OverflowError:
        return f"{microseconds} us"  # no calendar has it
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _spans(table: pyarrow.Table) -> list[dict[str, Any]]:
    import pyarrow

    starts, ends = (table[name].cast(pyarrow.int64()).to_pylist() for name in ("start", "end"))
    hosts, devices, reasons = (table[name].to_pylist() for name in ("host", "device", "reason"))
    return [
        {"host": host, "device": device, "start": _iso(start), "end": _iso(end), "reason": reason}
        for host, device, reason, start, end in zip(hosts, devices, reasons, starts, ends, strict=True)
    ]


def _cell(value: float | None, digits: int, unit: int = 1) -> str:
    return "-" if value is None else f"{value / unit:.{digits}f}"


def _print(found: list[dict[str, Any]], spans: list[dict[str, Any]], list_gaps: bool) -> None:
    columns = ("reads/s", "read MiB/s", "writes/s", "write MiB/s", "peak MiB/s", "busy", "queue")
    names = [printable(f"{row['host']} {row['device']}") for row in found]
    width = max([len(name) for name in names] + [6])
    if found:
        first, last = min(row["start"] for row in found), max(row["end"] for row in found)
        click.echo(f"{first} to {last}")
    click.echo(f"{'device':<{width}}" + "".join(f"{column:>12}" for column in columns))
    for name, row in zip(names, found, strict=True):
        busy = "-" if row["busy_share"] is None else f"{100 * row['busy_share']:.1f} %"
        queue = "-" if row["queue_length"] is None else f"{row['queue_length']:.2f}"
        cells = [_cell(row["reads_per_s"], 1), _cell(row["read_bytes_per_s"], 2, 2**20)]
        cells += [_cell(row["writes_per_s"], 1), _cell(row["write_bytes_per_s"], 2, 2**20)]
        cells += [_cell(row["peak_bytes_per_s"], 2, 2**20), busy, queue]
        click.echo(f"{name:<{width}}" + "".join(f"{cell:>12}" for cell in cells))
    if list_gaps:
        for span in spans:
            what = printable(f"{span['host']} {span['device'] or '(all)'}")
            click.echo(f"gap: {what}: {span['start']} to {span['end']}: {span['reason']}")
    elif spans:
        click.echo(f"{len(spans)} gap{'' if len(spans) == 1 else 's'} (--gaps lists them)")
