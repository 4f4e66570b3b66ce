"""Made-up studies with figures of every kind: typical, hostile, empty, compared, large.

`python tests/web/studies.py DIRECTORY` writes them all as pages, to look at.
"""

from __future__ import annotations

import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from headrace.reports.study import write_html
from headrace.study.compare import compare
from headrace.study.figure import Figure, Finding, Headline, Section, Study

HOSTILE = '<script>document.title="owned"</script><img src=x onerror=alert(1)>'
BEGIN = datetime(2026, 1, 5, tzinfo=timezone.utc)
PROJECTS = ["EarthScience", "NuclearPhysics", "Energy1", "Chemistry", HOSTILE]


def moment(hours: float) -> str:
    return (BEGIN + timedelta(hours=hours)).isoformat().replace("+00:00", "Z")


def table_figure() -> Figure:
    return Figure(
        "top_projects",
        "Projects that moved the most",
        "table",
        pa.table(
            {
                "project": PROJECTS,
                "jobs": [812, 77, 1500, 3, 9],
                "core_hours": [1.25e6, 3.5e5, 2.2e5, 900.0, None],
                "bytes": [3 << 50, 9 << 44, 5 << 40, 4097, 1],
                "coverage": [0.38, 0.9996, 0.5, 0.0, None],
                "rate": [2.5e9, 1e9, 3e6, None, 17.0],
                "time_ns": [3_600 * 10**9, 5 * 10**9, 12_345_678, 0, None],
                "since": pa.array([BEGIN] * 4 + [None], pa.timestamp("us", tz="UTC")),
                "captured": [True, True, False, None, True],
            }
        ),
        "A project is what the map of projects says of a job's account.",
        "All jobs with a log; 12 without a project are left out.",
        units={
            "bytes": "bytes", "coverage": "share", "rate": "bytes/s", "time_ns": "ns", "jobs": "count",
            "core_hours": "core-hours",
        },
        titles={"project": "Project", "bytes": "Read and written", "time_ns": "Time in I/O"},
        paper="Table II",
        words=[f"EarthScience moved 3 PiB, more than all others; {HOSTILE} moved a byte."],
    )  # fmt: skip


def bars_figure() -> Figure:
    sizes = ["1-1,023", "1,024-4,095", "4,096-16,383", "16,384 and more"]
    rows = [
        (how, size, interface, share)
        for how in ("by jobs", "by bytes")
        for size in sizes
        for interface, share in (("POSIX", 0.55), ("MPI-IO", 0.35), ("HDF5", 0.1))
    ]
    return Figure(
        "interfaces",
        "Interface by size of job",
        "bars",
        pa.table(
            {
                "weighted": [row[0] for row in rows],
                "processes": [row[1] for row in rows],
                "interface": [row[2] for row in rows],
                "share": [row[3] for row in rows],
            }
        ),
        "Share = jobs of which a file's highest interface is it / all jobs of that size.",
        "Jobs with at least a file.",
        {"x": "processes", "y": "share", "colour": "interface", "panel": "weighted"},
        {"share": "share"},
        {"processes": "Processes of a job", "share": "Jobs"},
        paper="Figure 2",
        words=["POSIX is used by 55 % of the jobs."],
    )


def lines_figure() -> Figure:
    sizes = [2.0**power for power in range(0, 44, 2)]
    rows = [
        (name, size, min(1.0, (at / 21) ** power))
        for name, power in (("all files", 0.5), (f"without {PROJECTS[0]}", 1.5))
        for at, size in enumerate(sizes)
    ]
    return Figure(
        "file_sizes",
        "File sizes",
        "lines",
        pa.table(
            {
                "files": [row[0] for row in rows],
                "size": [row[1] for row in rows],
                "share": [row[2] for row in rows],
            }
        ),
        "Share of the files that are smaller than or as large as a size.",
        "Regular files of one scan.",
        {"x": "size", "y": "share", "colour": "files"},
        {"size": "bytes", "share": "share"},
        {"size": "Size", "share": "Files"},
        {"log_x": True, "step": True},
        paper="Figure 8",
    )


def points_figure(rows: int = 400) -> Figure:
    random = np.random.default_rng(3)
    processes = (2.0 ** random.uniform(0, 17, rows)).round()
    files = (processes ** random.choice([0.0, 0.6, 1.0], rows) * random.uniform(1, 3, rows)).round()
    return Figure(
        "files_against_processes",
        "Files against processes",
        "points",
        pa.table(
            {
                "processes": processes.astype(np.int64),
                "files": files.astype(np.int64),
                "project": random.choice(PROJECTS, rows),
            }
        ),
        "A point is a run of a program: its processes, and how many different files it used.",
        "Runs with at least one file; 3 without are left out.",
        {"x": "processes", "y": "files", "colour": "project"},
        {"processes": "count", "files": "count"},
        {"processes": "Processes", "files": "Files"},
        {
            "log_x": True,
            "log_y": True,
            "guides": [{"label": "a file a process", "slope": 1}, {"label": "one file", "y": 1}],
        },
        paper="Figure 5",
    )  # fmt: skip


def box_figure() -> Figure:
    data = {
        "project": PROJECTS,
        "low": [0.01, 0.5, 0.2, 2.0, 1.0],
        "q1": [0.1, 1.0, 0.9, 3.0, 1.0],
        "median": [0.9, 2.0, 1.5, 3.5, 1.0],
        "q3": [3.0, 4.0, 2.5, 9.0, 1.0],
        "high": [12.0, 22.0, 3.0, 31.0, 1.0],
        "count": [88, 12, 35, 4, 1],
    }
    encoding = {"x": "project", **{key: key for key in ("low", "q1", "median", "q3", "high", "count")}}
    return Figure(
        "performance",
        "How fast large jobs were",
        "box",
        pa.table(data),
        "MiB/s a compute node: bytes / slowest process's time in I/O / nodes.",
        "Jobs of 1,024 processes and 500 MiB or more.",
        encoding,
        {key: "MiB/s" for key in encoding if key not in ("x", "count")},
        {"median": "MiB/s a node"},
        {
            "log_y": True,
            "guides": [{"label": "I/O node's network", "y": 24.0}],
            "outliers": [{"x": "Chemistry", "y": 90.0, "label": "job 77"}],
        },
        paper="Figure 10",
    )


def throughput_figure(days: int = 28) -> Figure:
    hours = days * 24
    random = np.random.default_rng(5)
    wave = (np.sin(np.arange(hours) / 24 * 2 * np.pi) + 1.2) * 6e9 * random.uniform(0.4, 1, hours)
    known = np.ones(hours, bool)
    known[200:260] = False
    times = [BEGIN + timedelta(hours=hour) for hour in range(hours)]
    values = np.concatenate([wave, wave * 0.7])
    return Figure(
        "throughput",
        "What the storage moved",
        "throughput",
        pa.table(
            {
                "time": pa.array(times * 2, pa.timestamp("us", tz="UTC")),
                "rate": pa.array(values, mask=~np.concatenate([known, known])),
                "direction": ["read"] * hours + ["write"] * hours,
            }
        ),
        "Sum over devices of bytes / seconds of an hour.",
        "All devices of file systems; local disks are left out.",
        {"x": "time", "y": "rate", "colour": "direction"},
        {"rate": "bytes/s"},
        {"rate": "Throughput"},
        {
            "bands": [
                {
                    "start": moment(300),
                    "end": moment(312),
                    "kind": "maintenance",
                    "text": f"Monday {HOSTILE}",
                },
                {"start": moment(200), "end": moment(260), "kind": "lost", "text": "the sampler was stopped"},
            ]
        },
        paper="Figure 6",
        words=["The storage read 6.6 GiB/s in the mean."],
    )


def histograms_figure() -> Figure:
    sizes = ["0-100 B", "100 B-1 KiB", "1-10 KiB", "10-100 KiB", "100 KiB-1 MiB", "1-4 MiB", "more"]
    rows = [
        (project, direction, size, (at + 1) / 28)
        for project in PROJECTS
        for direction in ("read", "write")
        for at, size in enumerate(sizes)
    ]
    return Figure(
        "access_sizes",
        "Sizes of reads and writes",
        "histograms",
        pa.table(
            {
                key: [row[at] for row in rows]
                for at, key in enumerate(("project", "direction", "size", "share"))
            }
        ),
        "Share of a project's reads, or writes, that are of that size.",
        "POSIX calls of files.",
        {"x": "size", "y": "share", "colour": "direction", "panel": "project"},
        {"share": "share"},
        {"size": "Size", "share": "Operations"},
        paper="Figure 9",
    )


def missing_figure() -> Figure:
    return Figure(
        "age",
        "Age of data",
        "lines",
        pa.table({}),
        "Time since files were last read.",
        "Files of the last scan.",
        missing="No scan is in the catalog: add one with 'headrace catalog add SCAN --at DIR'.",
        paper="Table III",
    )


def typical(factor: float = 1.0) -> Study:
    figures = [
        table_figure(),
        bars_figure(),
        throughput_figure(),
        lines_figure(),
        missing_figure(),
        points_figure(),
        box_figure(),
        histograms_figure(),
    ]
    sections = [
        Section("use", "Who uses it", "Which projects ran, and how their programs do I/O.", figures[:2]),
        Section("storage", "The storage", "What devices moved, and what lies on them.", figures[2:5]),
        Section("jobs", "Jobs", "How fast and how well programs do it.", figures[5:]),
    ]
    return Study(
        "Intrepid" if factor == 1 else "Mira",
        moment(0),
        moment(28 * 24),
        sections,
        [
            Finding("POSIX is used by 55 % of the jobs.", "interfaces", 0.4),
            Finding("EarthScience moved 3 PiB, 95 % of all bytes.", "top_projects", 0.9),
            Finding(f"1 job of {HOSTILE} is above the limit of the network.", "performance", 0.2),
        ],
        [
            Headline("Jobs", f"{2401 * factor:,.0f}", "38 % with a log", "top_projects", 2401 * factor),
            Headline("Moved", "3.01 PiB", "in 28 days", "top_projects"),
            Headline("Storage, mean", "6.6 GiB/s", "10 % of its peak", "throughput"),
        ],
        ["Projects are called by their labels."],
    )


def compared() -> Study:
    study = typical()
    other = typical(2.0)
    other.sections[2].figures.pop(0)
    other.headlines.pop()
    return compare(study, other)


def empty() -> Study:
    return Study("", "", "", [Section("storage", "The storage", "Nothing yet.", [missing_figure()])])


def large() -> Study:
    """40 figures, one of them of 100,000 points and one of a year of minutes."""
    figures = []
    for number in range(40):
        make = (bars_figure, lines_figure, table_figure, histograms_figure, box_figure)[number % 5]
        figures.append(make())
    figures[3], figures[11] = points_figure(100_000), throughput_figure(365)
    for number, figure in enumerate(figures):
        figure.id = f"figure_{number}"
    sections = [Section(f"part_{at}", f"Part {at + 1}", "", figures[8 * at : 8 * at + 8]) for at in range(5)]
    return Study("Large", moment(0), moment(365 * 24), sections)


STUDIES: dict[str, Any] = {"typical": typical, "compared": compared, "empty": empty, "large": large}


def write(name: str, directory: Path) -> Path:
    path = directory / f"study_{name}.html"
    write_html(STUDIES[name](), path)
    return path


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for each in STUDIES:
        print(write(each, target))
