"""The whole study: sections of figures, findings and headlines, from one connection to a catalog."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from headrace._errors import CatalogError
from headrace.catalog import checks
from headrace.catalog.engine import damage_told
from headrace.study.figure import Figure, Finding, Headline, Section, Study
from headrace.study.figures.access_sizes import access_sizes
from headrace.study.figures.ages import ages, overwritten
from headrace.study.figures.burstiness import burstiness, idle
from headrace.study.figures.characteristics import characteristics
from headrace.study.figures.coverage import coverage, coverage_reasons, damaged_logs, project_coverage
from headrace.study.figures.detectors import detected_jobs, detectors
from headrace.study.figures.devices import devices_applications
from headrace.study.figures.estimates import estimates
from headrace.study.figures.file_counts import file_counts, files_by_processes
from headrace.study.figures.file_sizes import file_sizes
from headrace.study.figures.growth import churn, growth
from headrace.study.figures.identical import identical
from headrace.study.figures.interfaces import interface_use, interfaces, strategies
from headrace.study.figures.performance import metric, outliers, performance
from headrace.study.figures.projects import project_activity, top_projects
from headrace.study.figures.scaling import ladder, scaling
from headrace.study.figures.throughput import sample_gaps, throughput, throughput_totals
from headrace.study.query import Connection, rows
from headrace.study.scope import Scope, prepare
from headrace.study.settings import Settings
from headrace.study.words import moment, percent, rate, told
from headrace.text import count, size

if TYPE_CHECKING:
    from headrace.catalog import Catalog

__all__ = ["FIGURES", "build", "study_of"]

Maker = Callable[[Connection, Settings, Scope], Figure]

_SECTIONS: tuple[tuple[str, str, str, tuple[Maker, ...]], ...] = (
    (
        "coverage",
        "What is covered",
        "How much of what ran on the site is in job logs, and why the rest is not.",
        (coverage, coverage_reasons, project_coverage, damaged_logs),
    ),
    (
        "applications",
        "How applications do I/O",
        "Interfaces, strategies and files, and the projects that move the most data.",
        (interfaces, interface_use, strategies, top_projects, files_by_processes, file_counts),
    ),
    (
        "storage",
        "How busy storage is",
        "What the devices moved over time, and how that compares with what jobs asked for.",
        (
            throughput,
            throughput_totals,
            burstiness,
            idle,
            project_activity,
            devices_applications,
            sample_gaps,
        ),
    ),
    (
        "files",
        "What lies on the file systems",
        "Sizes, growth and age of files, and whether they are overwritten.",
        (file_sizes, growth, ages, overwritten, churn),
    ),
    (
        "performance",
        "How well large jobs do",
        "Performance per node of jobs that are large enough to be judged, and how they use files.",
        (performance, outliers, metric, estimates, characteristics, access_sizes, ladder, scaling),
    ),
    (
        "habits",
        "What could be better",
        "Habits that cost performance, and jobs whose repair pays often.",
        (detectors, detected_jobs, identical),
    ),
)
_FEW = 5  # figures that are named where they have no data
FIGURES = tuple(maker.__name__ for section in _SECTIONS for maker in section[3])


def build(
    catalog: Catalog,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
    spark: str | None = None,
) -> Study:
    """All figures of a catalog. `progress` is called with each figure's id before it is made.

    Damaged parts are left out, which the study's notes say first. `spark`: a master, such as "local[4]",
    whose Spark answers in place of DuckDB; the figures are the same. Raises CatalogError where the catalog
    cannot be read without them either, and MissingPackageError without the engine's packages.
    """
    chosen, bad = settings or Settings(), checks.damaged_at_sight(catalog)
    try:
        study = _build(catalog.without(bad), chosen, progress, spark)
    except CatalogError:
        found = checks.damaged(catalog)
        if found.keys() <= bad.keys():
            raise
        bad = found
        study = _build(catalog.without(bad), chosen, progress, spark)
    study.notes[:0] = _damaged(catalog, bad, chosen)
    return study


def _build(
    catalog: Catalog, settings: Settings, progress: Callable[[str], None] | None, spark: str | None
) -> Study:
    if spark is not None:
        engine = catalog.spark(spark)
        try:
            return study_of(engine, settings, progress)
        finally:
            engine.close()
    connection = catalog.connect()
    try:
        with damage_told(catalog.path):
            return study_of(connection, settings, progress)
    finally:
        connection.close()


def _damaged(catalog: Catalog, bad: dict[str, str], settings: Settings) -> list[str]:
    if not bad:
        return []
    tables: dict[str, int] = {}
    for path in bad:
        part = catalog.state.parts[path]
        tables[part.table] = tables.get(part.table, 0) + part.rows
    lost = ", ".join(f"{rows:,} rows of {name}" for name, rows in tables.items())
    at = "DIR" if settings.pseudonyms else str(catalog.path)
    which = (
        ""
        if settings.pseudonyms
        else ": " + "; ".join(f"{path} {why}" for path, why in list(bad.items())[:_FEW])
    )
    return [
        f"Not counted: {lost}, since {count(len(bad), 'part')} of the catalog"
        f" {'is' if len(bad) == 1 else 'are'} damaged{which}. `headrace catalog --at {at} verify --drop`"
        " takes damaged parts out and says which files to add again."
    ]


def study_of(
    connection: Connection, settings: Settings, progress: Callable[[str], None] | None = None
) -> Study:
    """The same of a connection that has the views of a catalog; it gets the tables of scope.py."""
    scope = prepare(connection, settings)
    sections = []
    for name, title, text, makers in _SECTIONS:
        figures = []
        for maker in makers:
            if progress:
                progress(maker.__name__)
            figures.append(maker(connection, settings, scope))
        sections.append(Section(name, title, text, figures))
    made = [figure for section in sections for figure in section.figures]
    start, end = _ends(connection, settings)
    return Study(
        site=_site(connection, settings),
        start=start,
        end=end,
        sections=sections,
        findings=_findings(made),
        headlines=_headlines({figure.id: figure for figure in made}),
        notes=[*_outside(connection, settings), *_by_user(scope), *_notes(settings, made)],
    )


def _findings(figures: list[Figure]) -> list[Finding]:
    return sorted((each for figure in figures for each in figure.findings), key=lambda each: -each.weight)


def _site(connection: Connection, settings: Settings) -> str:
    found = rows(connection, "SELECT value FROM site WHERE key = 'name' ORDER BY place")
    return "the site" if settings.pseudonyms or not found else str(found[-1]["value"])


def _ends(connection: Connection, settings: Settings) -> tuple[str, str]:
    """The asked period, or the first and the last moment of anything that is counted."""
    parts = [
        "SELECT min(began) AS first, max(coalesce(ended, began)) AS last FROM study_jobs",
        "SELECT min(began), max(coalesce(ended, began)) FROM study_logs",
        'SELECT min("start"), max("end") FROM device_minutes',
        'SELECT min("start"), max("end") FROM scans',
    ]
    found = rows(
        connection, f"SELECT min(first) AS first, max(last) AS last FROM ({' UNION ALL '.join(parts)}) ends"
    )[0]
    first, last = settings.start or found["first"], settings.end or found["last"]
    return _iso(first), _iso(last if first is None or last is None or last >= first else None)


def _outside(connection: Connection, settings: Settings) -> list[str]:
    """Why a period has nothing, where the catalog has something of other times."""
    if not settings.period():
        return []
    found = rows(
        connection,
        'SELECT min("start") AS first, max("start") AS last FROM (SELECT "start" FROM logs UNION ALL'
        ' SELECT "start" FROM scheduler_jobs UNION ALL SELECT "start" FROM samples UNION ALL'
        ' SELECT "start" FROM scans) every',
    )[0]
    if found["first"] is None:
        return []
    late = settings.start is not None and _iso(found["last"]) < _iso(settings.start)
    early = settings.end is not None and _iso(found["first"]) >= _iso(settings.end)
    there = f"{moment(found['first'])} to {moment(found['last'])}"
    return [f"Nothing of the catalog is of this period: it has {there}."] if late or early else []


def _by_user(scope: Scope) -> list[str]:
    if not scope.by_user:
        return []
    how = "`headrace catalog add` takes projects of users and accounts in a TOML file"
    return [f"No job has a project, so figures by project are by user: {how}."]


def _iso(when: datetime | None) -> str:
    if when is None:
        return ""
    known = when if when.tzinfo else when.replace(tzinfo=timezone.utc)
    return known.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _headlines(figures: dict[str, Figure]) -> list[Headline]:
    """The large numbers at the top, of what there is."""
    names = ("coverage", "top_projects", "throughput_totals", "file_sizes", "burstiness")
    jobs, logs, moved, scanned, busy = (figures[name].numbers for name in names)
    lines = []

    def say(label: str, value: float, unit: str, below: str, figure: str) -> None:
        lines.append(Headline(label, told(value, unit), below, figure, value, unit))

    if "jobs with a log" in jobs:
        say("Jobs with a log", jobs["jobs with a log"], "count", "how many ran is not recorded", "coverage")
    elif jobs:
        share = percent(jobs["share of jobs covered"])
        say("Jobs", jobs["jobs"], "count", f"{share} of them with a log", "coverage")
    if logs:
        reads = percent(logs["share of reads of jobs"])
        say("Moved by jobs", logs["bytes of jobs"], "bytes", f"{reads} of it read", "top_projects")
    if moved:
        peak = f"peak {rate(moved['peak of devices'])}"
        say("Moved by devices", moved["bytes of devices"], "bytes", peak, "throughput_totals")
    if busy:
        below = busy["share of time below 33 % of peak"]
        say("Below a third of the peak", below, "share", "of the time", "burstiness")
    if scanned:
        stored = size(scanned["bytes in the last scans"])
        say("Files", scanned["files in the last scans"], "count", f"with {stored}", "file_sizes")
    return lines


def _notes(settings: Settings, figures: list[Figure]) -> list[str]:
    notes = [f"Performance is that of jobs of {settings.large()}."]
    if settings.period():
        notes.append(f"Jobs, samples and scans {settings.period()} are counted.")
    if settings.projects and not settings.pseudonyms:
        notes.append(f"Jobs of these projects alone are counted: {', '.join(settings.projects)}.")
    if settings.pseudonyms:
        notes.append("Names of projects, programs, jobs and file systems are pseudonyms.")
    empty = [figure.title for figure in figures if figure.missing]
    if empty:
        which = f": {', '.join(empty)}" if len(empty) <= _FEW else ""
        notes.append(f"{count(len(empty), 'figure')} without data; each says why{which}.")
    return notes
