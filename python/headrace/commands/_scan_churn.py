"""What jobs created between two scans, beside by how much the files grew."""

from __future__ import annotations

from typing import Any

from headrace import catalog as catalogs
from headrace.catalog.engine import damage_told
from headrace.commands._text import number, percent
from headrace.scans.scan import Scan

__all__ = ["Made", "churn", "made_by_jobs", "sentence"]

# Whether a file lies below a root, by how it was opened or where its file system is mounted.
_BELOW = """
SELECT count(*)::BIGINT FROM files, roots
WHERE files.created
  AND files.first_open >= make_timestamptz($start) AND files.first_open < make_timestamptz($end)
  AND (root = '/' OR path = root OR starts_with(path, root || '/')
       OR mount = root OR starts_with(mount, root || '/'))
"""
_ALL = """
SELECT count(*)::BIGINT, coalesce(sum(creates), 0)::BIGINT FROM logs
WHERE start >= make_timestamptz($start) AND start < make_timestamptz($end)
"""

Made = dict[str, int | None]


def made_by_jobs(catalog: str, before: Scan, after: Scan) -> Made:
    """`created`: files below the roots that jobs created between the scans, None where there are no job logs
    of that time; `elsewhere`: those that they created at other paths or at none that is known; `jobs`: how
    many began then.

    Raises CatalogError, and MissingPackageError without duckdb.
    """
    times = {
        "start": before.number("start_utc_ns") // 1000,
        "end": after.number("start_utc_ns") // 1000,
    }
    opened = catalogs.open(catalog)
    with opened.connect() as connection, damage_told(opened.path):
        connection.execute(
            "CREATE TEMP TABLE roots AS SELECT unnest($roots::VARCHAR[]) AS root", {"roots": after.roots}
        )
        ((created,),) = connection.execute(_BELOW, times).fetchall()
        ((jobs, creates),) = connection.execute(_ALL, times).fetchall()
    if not jobs and not created:
        return {"jobs": 0, "created": None, "elsewhere": None}
    return {"jobs": jobs, "created": created, "elsewhere": max(0, creates - created)}


def churn(made: Made, change: int) -> dict[str, Any]:
    """Files that were removed, at least: others may have created some. The share is of those created."""
    created = made["created"]
    removed = None if created is None else max(0, created - change)
    share = removed / created if removed is not None and created else None
    return {**made, "change": change, "removed_at_least": removed, "share_removed": share}


def sentence(facts: dict[str, Any]) -> str:
    created, jobs, elsewhere = facts["created"], facts["jobs"], facts["elsewhere"]
    if created is None:
        return "What jobs created is not recorded: the catalog has no job logs between the two scans."
    change = facts["change"]
    meanwhile = f"{number(change)} more" if change >= 0 else f"{number(-change)} fewer"
    who = "Jobs" if jobs is None else f"{number(jobs)} captured jobs"
    text = f"{who} created {number(created)} files here while {meanwhile} are there"
    if facts["removed_at_least"]:
        share = f" ({percent(facts['share_removed'])} as many)" if created else ""
        text += f": at least {number(facts['removed_at_least'])} files{share} were removed"
    elif change > created:
        text += f": {number(change - created)} are of others"
    text += "."
    return text + (f" {number(elsewhere)} were created elsewhere." if elsewhere else "")
