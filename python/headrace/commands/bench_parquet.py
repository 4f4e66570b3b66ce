"""`headrace bench parquet`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from headrace._errors import UsageError
from headrace.analysis.bench_figures import NotFiguresError, figures_of, phases_table
from headrace.reports import html


@click.command("parquet")
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("-o", "--output", "output_file", required=True, metavar="FILE", help="The Parquet file.")
def command(files: tuple[str, ...], output_file: str) -> None:
    """Write figures of `headrace bench --json` as a table: one row for each phase of each run.

    A FILE has the object of one run, or of several one after the other, or is what `headrace bench
    paper` keeps; - is standard input. Columns are listed in docs/bench.md.

    \b
    Example:
      mpirun -n 4 headrace bench ior --json > a.json
      headrace bench parquet a.json b.json -o runs.parquet
      duckdb -c "SELECT api, phase, mbps FROM 'runs.parquet'"
    """
    if not files:
        raise UsageError("name files that `headrace bench --json` has written, or - for standard input")
    import pyarrow.parquet

    tables: list[pyarrow.Table] = []
    runs = 0
    for name in files:
        try:
            text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
            figures = figures_of(text)
            tables.append(phases_table(figures, runs))
            runs += len(figures)
        except OSError as error:
            raise UsageError(f"{name}: {error.strerror}") from error
        except (NotFiguresError, UnicodeDecodeError) as error:
            raise UsageError(f"{name}: {error}; give what `headrace bench --json` prints") from error
    # Not by its path: pyarrow removes what it could not write, and be it a device.
    whole = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.concat_tables(tables), whole, compression="zstd")
    html.write([whole.getvalue().to_pybytes()], output_file, force=True)
