"""`headrace export`."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

import headrace
from headrace._errors import UsageError
from headrace._outputs import Refusal, apart, check, make_directory, new_file, only_with_force
from headrace.commands._terminal import working
from headrace.commands._text import number, printable
from headrace.text import size

if TYPE_CHECKING:
    import pyarrow

_JSON_ROWS = 10_000  # made into Python objects at a time


@click.command("export")
@click.argument("log")
@click.option("--to", "target", type=click.Choice(["parquet", "csv", "json"]), help="The format; required.")
@click.option(
    "-o", "--output", metavar="DIR", help="Directory, required; made when missing, in one that is there."
)
@click.option("--table", "names", multiple=True, metavar="NAME", help="Only this table; may be repeated.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--job", type=int, help="Which job, from 1, of a file that holds several.")
def command(
    log: str, target: str | None, output: str | None, names: tuple[str, ...], force: bool, job: int | None
) -> None:
    """Write the tables of a job log, a file each: DIR/NAME.parquet, .csv or .json.

    Parquet files keep unit and meaning of each column: in the Arrow schema, and as JSON under the key
    "headrace.columns" of the file's metadata. CSV and JSON hold exact values: ids have up to 20 digits, and a
    name may begin with '=' or '+', which spreadsheets take for a formula.

    \b
    Example:
      headrace export job.hr --to parquet -o tables
      headrace export job.hr --to csv -o tables --table files --table processes
    """
    if target is None or output is None:
        lacks = "format (--to parquet, csv or json)" if target is None else "directory (-o DIR)"
        example = f"headrace export {log} --to {target or 'parquet'} -o {output or 'tables'}"
        raise UsageError(f"export needs a {lacks}, for example: {example}")
    with headrace.open(log, job) as opened:
        chosen = list(dict.fromkeys(names)) or opened.tables
        for name in chosen:
            if name not in opened.tables or "/" in name or name.startswith("."):
                known = ", ".join(opened.tables)
                raise UsageError(f"{log}: there is no table '{name}' to export; there are {known}")
        directory = Path(output)
        paths = {name: directory / f"{name}.{target}" for name in chosen}
        for path in paths.values():
            apart(path, [log])
        refusal = only_with_force(force)
        _prepare(directory, paths, refusal)
        for name, path in paths.items():
            with working(f"writing {printable(str(path))}"):
                table = opened.table(name)
                with new_file(path, refusal) as partial:
                    _FORMATS[target](table, partial)
            rows = f"{number(table.num_rows)} row{'' if table.num_rows == 1 else 's'}"
            click.echo(f"{printable(str(path))}: {rows}, {size(path.stat().st_size)}")
        for damage in opened.damage:
            click.echo(f"headrace: damaged at byte {damage.offset}: {printable(damage.reason)}", err=True)


def _prepare(directory: Path, paths: dict[str, Path], refusal: Refusal) -> None:
    """Nothing is written when something would be refused."""
    make_directory(directory)
    for path in paths.values():
        check(path, refusal)


def _parquet(table: pyarrow.Table, path: Path) -> None:
    import pyarrow.parquet

    columns = {
        field.name: {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        for field in table.schema
    }
    metadata = {**(table.schema.metadata or {}), b"headrace.columns": json.dumps(columns).encode()}
    pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), path, compression="zstd")


def _csv(table: pyarrow.Table, path: Path) -> None:
    import pyarrow
    import pyarrow.csv

    for place, field in enumerate(table.schema):
        if pyarrow.types.is_large_list(field.type):  # CSV has no lists: a JSON array in one cell
            cells = [json.dumps(items) for items in table.column(place).to_pylist()]
            table = table.set_column(place, field.name, pyarrow.array(cells, pyarrow.large_string()))
    pyarrow.csv.write_csv(table, path)


def _json(table: pyarrow.Table, path: Path) -> None:
    """An array of objects, a line each."""
    with path.open("w", encoding="utf-8") as file:
        separator = "[\n"
        for row in _rows(table):
            file.write(separator + json.dumps(row, ensure_ascii=False))
            separator = ",\n"
        file.write("\n]\n" if separator == ",\n" else "[]\n")


def _rows(table: pyarrow.Table) -> Iterator[dict[str, object]]:
    batches = table.to_batches(max_chunksize=_JSON_ROWS)
    return itertools.chain.from_iterable(batch.to_pylist() for batch in batches)


_FORMATS = {"parquet": _parquet, "csv": _csv, "json": _json}
