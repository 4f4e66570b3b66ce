"""A report as an object: it shows itself in a notebook, and saves itself as a file."""

from __future__ import annotations

import html as escaping
import os
from typing import Any

from headrace.analysis.job_facts import JobFacts, job_facts
from headrace.logs import JobLog
from headrace.reports import html
from headrace.reports.job import tables, title

_HEIGHT = 720  # pixels of the frame in a notebook; the page scrolls in it


class Report:
    """The report of one job, as `headrace report` writes it. `facts` has the figures (docs/report.md).

    In a notebook it shows itself, without a network: the page is in a frame of its own, whose scripts can
    reach neither the notebook nor its files.
    """

    def __init__(self, log: JobLog) -> None:
        self._job: JobFacts = job_facts(log)

    @property
    def facts(self) -> dict[str, Any]:
        return self._job.facts

    def html(self) -> str:
        """The whole page. Raises MissingPackageError when the page of reports was not built."""
        return b"".join(self._parts()).decode("utf-8")

    def save(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Writes the page. Replaces a report, any other file only with `force`. Raises OutputError."""
        html.write(self._parts(), os.fspath(path), force)

    def _parts(self) -> Any:
        return html.document("job", title(self._job), self._job.facts, tables(self._job))

    def _repr_html_(self) -> str:
        page = escaping.escape(self.html())
        return (
            f'<iframe title="Headrace report" sandbox="allow-scripts allow-downloads" srcdoc="{page}" '
            f'style="width: 100%; height: {_HEIGHT}px; border: 1px solid #8888"></iframe>'
        )

    def __repr__(self) -> str:
        path = self._job.facts["summary"]["log"]["path"]
        return f"<Report of {path!r}: {self._job.files} files, {len(self._job.processes)} program images>"
