"""`headrace catalog`."""

from __future__ import annotations

import csv
import json
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import click

from headrace._errors import CatalogError, OutputError, UsageError
from headrace.catalog import add as adding
from headrace.catalog import catalog as catalogs
from headrace.catalog import checks, compact, dropping, history, job_csv, query, watch
from headrace.commands._terminal import counting
from headrace.commands._text import printable
from headrace.text import count

_BAD_SHOWN = 1000


@click.group("catalog")
@click.option("--at", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The catalog.")
@click.pass_context
def command(context: click.Context, at: Path) -> None:
    """Collect a facility's job logs, scheduler records, samples and scans.

    A catalog is a directory of Parquet files. Any number of processes may add
    to it at the same time; what is added twice counts once.

    \b
    Example:
      headrace catalog --at site add /logs/2026 sacct.txt projects.toml
      headrace catalog --at site ls
      headrace catalog --at site sql 'SELECT project, sum(bytes_read)
        FROM jobs GROUP BY project'
      headrace catalog --at site verify
    """
    context.obj = at


@command.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--csv-map", type=click.Path(path_type=Path), help="TOML: columns of CSV files.")
@click.option("--threads", type=click.IntRange(1, 1024), help="By default all processors.")
@click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/catalog.md.")
@click.pass_obj
def add(at: Path, paths: tuple[Path, ...], csv_map: Path | None, threads: int | None, as_json: bool) -> None:
    """Add files and whole trees; their content says what they are.

    Job logs of Headrace and Darshan, samples, scans, JSON of iostat and sadf,
    CSV of LDMS and fsstats, `sacct -P`, accounting logs of PBS and Cobalt,
    CSV, Parquet and TOML. Files that cannot be read are listed, the others
    added; the exit status is then 3.

    \b
    Example:
      headrace catalog --at site add /logs/2026
      sacct -aPX -o JobIDRaw,User,Account,Start,End,State,NNodes > jobs.txt
      headrace catalog --at site add jobs.txt
    """
    columns = _csv_map(csv_map)
    with counting(f"adding to {printable(str(at))}", 100) as tell:
        report = adding.add(
            at, list(paths), threads or 0, columns, lambda done, total: tell(100 * done // total)
        )
    facts = {"added": report.added, "known": report.known, "skipped": report.skipped, "rows": report.rows}
    if as_json:
        print(json.dumps(facts | {"bad": [{"path": str(path), "reason": why} for path, why in report.bad]}))
    else:
        print(f"{report.added:,} added with {report.rows:,} rows; {report.known:,} were there already")
        if report.skipped:
            print(f"{report.skipped:,} files are nothing that a catalog takes")
    for why in report.left_out + [why for _, why in report.bad[:_BAD_SHOWN]]:
        print(f"headrace: {printable(why)}", file=sys.stderr)
    if len(report.bad) > _BAD_SHOWN:
        print(f"headrace: … and {len(report.bad) - _BAD_SHOWN:,} more", file=sys.stderr)
    if report.bad:
        raise CatalogError(f"{count(len(report.bad), 'file')} could not be added, or not in whole")


@command.command("sql")
@click.argument("statement")
@click.option("--csv", "form", flag_value="csv", help="Comma-separated.")
@click.option("--json", "form", flag_value="json", help="A list of objects.")
@click.option("--parquet", type=click.Path(path_type=Path), help="Write this file instead.")
@click.option("--spark", metavar="MASTER", help="By Spark, not DuckDB, such as 'local[4]'.")
@click.pass_obj
def sql(at: Path, statement: str, form: str | None, parquet: Path | None, spark: str | None) -> None:
    """Ask with SQL; reads the catalog and nothing else.

    \b
    Example:
      headrace catalog --at site sql 'SELECT count(*) FROM jobs WHERE covered'
    """
    catalog = catalogs.open(at)
    target = None if parquet is None else query.parquet_target(catalog, parquet)
    table = query.run(catalog, statement, spark)
    if target is not None:
        query.write_parquet(table, target)
    elif form == "json":
        print(json.dumps(query.objects(table), default=str))
    elif form == "csv":
        writer = csv.writer(sys.stdout)
        writer.writerow(table.column_names)
        writer.writerows(query.rows(table))
    else:
        _print(table)


@command.command("ls")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_obj
def ls(at: Path, as_json: bool) -> None:
    """List the tables with rows, parts and bytes.

    \b
    Example:
      headrace catalog --at site ls
    """
    rows = checks.tables(catalogs.open(at))
    if as_json:
        print(json.dumps(rows))
        return
    print(f"{'table':18} {'rows':>14} {'parts':>8} {'bytes':>16}")
    for row in rows:
        print(f"{row['table']:18} {row['rows']:14,} {row['parts']:8,} {row['bytes']:16,}")


@command.command("verify")
@click.option("--repair", is_flag=True, help="Remove what no commit names and is a day old.")
@click.option("--drop", is_flag=True, help="Take out bad parts, with all that was added along with them.")
@click.pass_obj
def verify(at: Path, repair: bool, drop: bool) -> None:
    """Read every commit and part, and compare them with what the commits say.

    --drop says which files to add again: these are then added as new.

    \b
    Example:
      headrace catalog --at site verify --repair
      headrace catalog --at site verify --drop
    """
    catalog = catalogs.open(at)
    wrong = history.problems(at)
    with counting("checking", max(1, len(catalog.state.parts))) as tell:
        problems = checks.damaged(catalog, tell)
    # What a commit that is lost or damaged names is not known, and may be all that is left of it.
    removed, left = checks.leftovers(catalog, repair and not wrong)
    for problem in [*wrong, *(f"{at / path}: {why}" for path, why in problems.items())]:
        print(f"headrace: {printable(problem)}", file=sys.stderr)
    print(f"{len(catalog.state.parts):,} parts, {len(problems):,} of them bad")
    if wrong:
        print(f"{len(wrong):,} commits are missing or wrong")
    if removed or left:
        print(f"{left:,} files that no commit names; {removed:,} removed")
    if left and not catalog.state.number:
        raise CatalogError(
            f"{at}: there is no commit, and {count(left, 'part')}: no `add` has ended yet, or the commits are"
            " lost: bring commits/ back from a backup, or add everything again to a new catalog"
        )
    if problems and drop and not wrong:
        _drop(catalog, set(problems))
    elif problems and not wrong:
        raise CatalogError(
            "bring what is bad back from a backup; without one, `headrace catalog --at"
            f" {at} verify --drop` takes it out and says which files to add again"
        )
    elif wrong:
        raise CatalogError("bring what is bad back from a backup, or make the catalog anew")


def _drop(catalog: catalogs.Catalog, bad: set[str]) -> None:
    dropped = dropping.drop(catalog, bad)
    print(f"{count(dropped.parts, 'part')} taken out; add these files again:" if dropped.again else "")
    for path in dropped.again:
        print(f"  {printable(path)}")
    if dropped.kept:
        raise CatalogError(
            f"{count(len(dropped.kept), 'bad part')} cannot be taken out, since rows of several additions"
            " were put together in them, or nobody knows of which files they are: bring them back from a"
            " backup, or make the catalog anew"
        )


@command.command("compact")
@click.pass_obj
def compact_command(at: Path) -> None:
    """Put small parts together, for speed; `add` does so by itself.

    \b
    Example:
      headrace catalog --at site compact
    """
    print(f"{compact.compact(catalogs.open(at), 2):,} parts put together")


@command.command("watch")
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--every", type=click.FloatRange(0.1, 86400), default=30.0, help="Seconds between looks.")
@click.pass_obj
def watch_command(at: Path, directories: tuple[Path, ...], every: float) -> None:
    """Add files as they come, until interrupted or terminated.

    \b
    Example:
      headrace catalog --at site watch /logs --every 60
    """
    end = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: end.set())

    def told(report: adding.Report) -> None:
        if report.added:
            print(f"{report.added:,} added with {report.rows:,} rows", flush=True)
        for _, why in report.bad:
            print(f"headrace: {printable(why)}", file=sys.stderr, flush=True)

    watch.watch(at, list(directories), every, end, told)


def _csv_map(path: Path | None) -> dict[str, Any] | None:
    if path is None:
        return None
    from headrace.catalog._toml import loads

    try:
        settings = loads(path.read_bytes())
        job_csv.check_map(settings)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (CatalogError, UsageError) as error:
        raise UsageError(f"{path}: {error}") from error
    return settings


def _print(table: Any) -> None:
    shown = [[printable("" if value is None else str(value)) for value in row] for row in query.rows(table)]
    widths = [max([len(name), *(len(row[i]) for row in shown)]) for i, name in enumerate(table.column_names)]
    try:
        for row in [list(table.column_names), *shown]:
            print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write: {error}") from error
