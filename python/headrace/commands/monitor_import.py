"""`headrace monitor import`."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headrace import foreign_samples, samples
from headrace._errors import HeadraceError, LogCorruptError, OutputError
from headrace._outputs import make_directory
from headrace.commands._terminal import counting
from headrace.commands._text import number, printable
from headrace.text import count

if TYPE_CHECKING:
    import pyarrow

_FROM = {
    "iostat": "iostat: approximate, its rates have two decimals and its times are whole seconds",
    "sadf": "sadf: approximate, its rates have two decimals and its times are whole seconds",
    "ldms": "LDMS: exact",
}


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", "store", required=True, metavar="STORE", help="Directory, made if missing.")
@click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/monitor.md.")
def command(files: tuple[str, ...], store: str, as_json: bool) -> None:
    """Bring samples of other programs into a store of `headrace monitor`.

    FILE is JSON of `iostat -o JSON -x -t` or `sadf -j FILE -- -d`, or CSV of
    LDMS with its header. What is imported again is replaced, not doubled.
    Files that cannot be read are listed; the exit status is then 3.

    \b
    Example:
      S_TIME_FORMAT=ISO iostat -o JSON -x -t 60 60 > io.json
      sadf -j /var/log/sysstat/sa24 -- -d > sar.json
      headrace monitor import io.json sar.json -o imported
    """
    found: list[dict[str, Any]] = []
    problems: list[str] = []
    bad = 0
    with counting(f"importing into {printable(store)}", len(files)) as tell:
        for done, name in enumerate(files, 1):
            try:
                imported = foreign_samples.read(Path(name))
                problems += imported.problems + imported.notes
                found.append({"file": name, **_store(imported, Path(store))})
            except OutputError:
                raise
            except HeadraceError as error:
                bad += 1
                problems.append(str(error))
            tell(done)
    if as_json:
        click.echo(json.dumps({"files": found, "problems": problems}))
    else:
        for row in found:
            text = f"{number(row['samples'])} samples of {count(row['devices'], 'device')}"
            gaps = f", {count(row['gaps'], 'gap')}" if row["gaps"] else ""
            click.echo(f"{printable(row['file'])}: {text}{gaps} ({_FROM[row['kind']]})")
    for problem in problems if not as_json else []:
        click.echo(f"headrace: {printable(problem)}", err=True)
    if bad:
        raise LogCorruptError(f"{count(bad, 'file')} of {len(files)} could not be imported")


def _store(imported: foreign_samples.Imported, store: Path) -> dict[str, Any]:
    """A file for each host, named after the source's content, so that it is there once."""
    import pyarrow.compute as compute

    identity = int(imported.digest, 16) >> 1 or 1
    for host in compute.unique(imported.tables["samples"]["host"]).to_pylist():
        tables = {
            name: table.filter(compute.equal(table["host"], host)) for name, table in imported.tables.items()
        }
        directory = store / _directory(host)
        name = f"{_begin(tables['samples'])}-{imported.digest}.hr"
        make_directory(store)
        make_directory(directory)
        samples.write(directory / name, tables, identity)
    rows = imported.tables["samples"]
    devices = rows.group_by(["host", "kind", "device"]).aggregate([]).num_rows
    gaps = imported.tables["sample_gaps"].num_rows if "sample_gaps" in imported.tables else 0
    return {"kind": imported.kind, "samples": rows.num_rows, "devices": devices, "gaps": gaps}


def _directory(host: str) -> str:
    """Its name; where no directory can have it what can, with a hash, as other hosts have that in common."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", host).lstrip(".")[:200]
    if safe and safe == host:
        return host
    return f"{safe or '_'}-{hashlib.blake2b(host.encode(), digest_size=4).hexdigest()}"


def _begin(table: pyarrow.Table) -> str:
    import pyarrow
    import pyarrow.compute as compute

    first = compute.min(table["start"].cast(pyarrow.int64())).as_py()
    moment = datetime.datetime.fromtimestamp(first // 1_000_000, datetime.timezone.utc)
    return moment.strftime("%Y%m%dT%H%M%SZ")
