"""`headrace cluster`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

import headrace
from headrace._errors import UsageError
from headrace._outputs import apart
from headrace.analysis import cluster_files, point_tables
from headrace.analysis.clusters import Clustering, cluster
from headrace.analysis.rank_features import FEATURES, PhaseSpan, rank_features
from headrace.commands._cluster import render
from headrace.commands._terminal import terminal, working
from headrace.commands._text import printable, to_ascii


@click.command("cluster")
@click.argument("file", metavar="JOB.hr|TABLE.npy|TABLE.parquet|TABLE.csv")
@click.option(
    "-k", "k", type=click.IntRange(1, 128), help="How many clusters; by default as many as there are."
)
@click.option(
    "--by", type=click.Choice(FEATURES), default="profile", help="Of a job log: what ranks are compared by."
)
@click.option(
    "--phase", metavar="PHASE", help="Of a job log: compare what ranks did in this phase, such as step/dump."
)
@click.option(
    "--instance", type=click.IntRange(1), help="Which time they were in it; by default all of them together."
)
@click.option("--column", "columns", multiple=True, metavar="NAME", help="Only this column; may be repeated.")
@click.option(
    "--normalise", type=click.Choice(["spread", "range", "none"]), help="How columns are made comparable."
)
@click.option("--distance", type=click.Choice(["manhattan", "euclidean", "chebyshev"]), default="manhattan")
@click.option(
    "--seed", type=click.IntRange(0), default=1, help="Of the samples; the same seed, the same result."
)
@click.option("-o", "--output", metavar="FILE", help="Write each row's cluster: FILE.npy or FILE.parquet.")
@click.option("--job", type=int, help="Which job, from 1, of a log that holds several.")
@click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/clustering.md.")
def command(
    file: str,
    k: int | None,
    by: str,
    phase: str | None,
    instance: int | None,
    columns: tuple[str, ...],
    normalise: str | None,
    distance: str,
    seed: int,
    output: str | None,
    job: int | None,
    as_json: bool,
) -> None:
    """Find groups of ranks that behave alike, and the ranks that behave like no other.

    Of a job log, ranks are compared by the seconds they spend in each function (--by profile), in those on
    files or of MPI alone (calls, messages), by how many reads and writes had which size (sizes), or by their
    bytes over time (bandwidth, series: in 16 or 64 spans). Of a table, rows are compared; columns are first
    divided by their spread inside clusters (--normalise spread) unless told otherwise. With --json the
    cluster of each row is written to NAME.clusters.npy in the current directory, or to the FILE of -o.

    \b
    Example:
      headrace cluster job.hr
      headrace cluster --by series job.hr -o clusters.parquet
      headrace cluster --by sizes job.hr
      headrace cluster --by bandwidth --phase dump --instance 17 job.hr
      headrace cluster features.npy --json | jq '.sizes'
      headrace cluster timings.csv --column read_s --column write_s
    """
    if output is not None and not output.endswith((".npy", ".parquet")):
        raise UsageError(f"{output}: the name has to end in .npy or .parquet, for example: -o clusters.npy")
    if output is None and as_json:
        output = f"{Path(file).stem}.clusters.npy"
    if output is not None:
        apart(output, [file])
    out = terminal()
    with working("reading"):
        table, rule = _read(file, by, _span(phase, instance, by), columns, job)
    with working("clustering"):
        found = cluster(table, k, seed=seed, normalisation=normalise or rule, distance=distance)
    if output is not None:
        cluster_files.write(found, output)
    if as_json:
        click.echo(json.dumps(_facts(file, found, output), indent=2))
        return
    lines = render(file, found, out)
    if output is not None:
        lines.append(f"{printable(output)}: the cluster of each row")
    click.echo("\n".join(lines if out.unicode else map(to_ascii, lines)))


def _span(phase: str | None, instance: int | None, by: str) -> PhaseSpan | None:
    if phase is None:
        if instance is not None:
            raise UsageError("--instance chooses an instance of a phase: say which one with --phase")
        return None
    if by == "series":
        raise UsageError("--by series is of the whole job: bytes over time in a phase are --by bandwidth")
    return PhaseSpan(phase, instance or 0)


def _read(
    file: str, by: str, span: PhaseSpan | None, columns: tuple[str, ...], job: int | None
) -> tuple[point_tables.PointTable, str]:
    """The table, and the rule of normalisation where none is asked for."""
    if point_tables.is_table(file):
        if span is not None:
            raise UsageError(f"{file}: --phase chooses a phase of a job log, and this is a table")
        return point_tables.read(file, columns), "spread"
    if columns:
        raise UsageError(f"{file}: --column chooses columns of a Parquet or CSV file; of a job log, use --by")
    with headrace.open(file, job) as log:
        return rank_features(log, by, span), "none"


def _facts(file: str, found: Clustering, output: str | None) -> dict[str, Any]:
    names = found.table.names
    return {
        "input": file,
        "rows": found.table.rows,
        "columns": found.table.columns,
        "unit": found.table.unit,
        "columns_left_out": found.table.left_out,
        "phase": found.table.phase,
        "instance": found.table.instance,
        "missing": found.table.missing,
        "row_names": names,
        "k": found.k,
        "sizes": found.sizes,
        "medoids": found.medoids,
        "assignment": output,
        "outliers": found.outliers,
        "unusable": found.unusable,
        "seconds": found.seconds,
        "seed": found.seed,
        "normalisation": found.normalisation,
        "distance": found.distance,
        "clusters": [vars(each) for each in found.clusters],
        "worst_outliers": [vars(each) for each in found.worst],
    }
