"""`headrace study`."""

from __future__ import annotations

import json
from typing import Any

import click

from headrace._errors import UsageError
from headrace.commands._study import Period, period_of, render, size_of
from headrace.commands._terminal import counting, terminal
from headrace.commands._text import printable, to_ascii
from headrace.study import Pseudonyms, Settings, Study
from headrace.text import size


@click.command("study")
@click.option("--at", "catalog_at", metavar="DIR", help="The catalog.")
@click.option("-o", "--output", "output_file", metavar="FILE", help="Write the study: one HTML file.")
@click.option("--figures", "figures_at", metavar="DIR", help="Vega-Lite and Parquet of each figure.")
@click.option("--force", is_flag=True, help="Replace FILE even if it is not a report.")
@click.option("--json", "as_json", is_flag=True, help="All of it for programs; keys in docs/study.md.")
@click.option("--period", metavar="A..B", help="Count what starts from A to before B, UTC.")
@click.option("--compare", "compared_at", metavar="DIR", help="Beside that of another catalog.")
@click.option("--compare-period", metavar="C..D", help="Beside another period.")
@click.option("--project", "projects", multiple=True, metavar="NAME", help="Count these alone.")
@click.option("--without", metavar="NAME", help="Tell it apart in file sizes and growth.")
@click.option("--top", type=click.IntRange(1, 100), default=10, help="Projects shown one by one (10).")
@click.option("--min-processes", type=click.IntRange(min=1), default=1024, help="Of large jobs (1024).")
@click.option("--min-bytes", default="500MiB", metavar="SIZE", help="Moved by large jobs (500MiB).")
@click.option("--pseudonyms", is_flag=True, help="Other names of projects, jobs and programs.")
@click.option("--spark", metavar="MASTER", help="By Spark, not DuckDB, such as 'local[4]'.")
def command(
    catalog_at: str | None, compared_at: str | None, compare_period: str | None, **options: Any
) -> None:
    """Study the I/O of a site: coverage, projects, devices, files, performance.

    From a catalog of job logs, scheduler records, samples of devices and scans
    of file systems, as `headrace catalog` makes it. Without -o or --json, the
    findings.

    \b
    Example:
      headrace study --at catalog
      headrace study --at catalog -o study.html
      headrace study --at catalog --compare other-catalog -o sites.html
      headrace study --at catalog --json | jq '.findings[].text'
      headrace study --at catalog --spark spark://head:7077 -o study.html
    """
    if catalog_at is None:
        raise UsageError("study needs a catalog, for example: headrace study --at catalog -o study.html")
    if options["output_file"] == "-" and options["as_json"]:
        raise UsageError("-o - and --json both write to standard output: name a file for the page")
    names = Pseudonyms() if options["pseudonyms"] else None
    first = _settings(options, period_of("--period", options["period"]), names)
    study = _build(catalog_at, first, options["spark"])
    if compared_at is not None or compare_period is not None:
        from headrace.study.compare import compare

        asked = period_of("--compare-period", compare_period) if compare_period else (first.start, first.end)
        other = _settings(options, asked, names)
        study = compare(study, _build(compared_at or catalog_at, other, options["spark"]))
    if options["figures_at"] is not None:
        from headrace.study import vega

        vega.write(study, options["figures_at"])
    _tell(study, options["output_file"], options["force"], options["as_json"])


def _settings(options: dict[str, Any], period: Period, names: Pseudonyms | None) -> Settings:
    return Settings(
        min_processes=options["min_processes"],
        min_bytes=size_of(options["min_bytes"]),
        start=period[0],
        end=period[1],
        projects=options["projects"],
        without=options["without"],
        top=options["top"],
        pseudonyms=names,
    )


def _build(path: str, settings: Settings, spark: str | None) -> Study:
    from headrace import catalog
    from headrace.study.build import FIGURES, build

    with counting("studying", len(FIGURES)) as tell:
        return build(catalog.open(path), settings, lambda figure: tell(FIGURES.index(figure)), spark)


def _tell(study: Study, output_file: str | None, force: bool, as_json: bool) -> None:
    if output_file is not None:
        from headrace.reports.study import write_html

        written = write_html(study, output_file, force)
        if output_file != "-" and not as_json:
            click.echo(f"{printable(output_file)}: {size(written)}; open it in a browser")
    if as_json:
        from headrace.study.facts import facts

        click.echo(json.dumps(facts(study), indent=2))
    elif output_file is None:
        output = terminal()
        lines = render(study, output)
        click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))
