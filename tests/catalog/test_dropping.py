"""`headrace catalog verify --drop`: bad parts go with what was added along with them, which can be added again."""

from __future__ import annotations

from pathlib import Path

import pytest
from headrace import catalog
from headrace.catalog.add import add
from test_command import run

SACCT = "JobIDRaw|User|Start|End|State\n{job}|ann|2026-11-{job}T10:00:00|2026-11-{job}T11:00:00|COMPLETED\n"


def _catalog(tmp_path: Path, files: int) -> tuple[Path, list[Path]]:
    paths = []
    for number in range(files):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text(SACCT.format(job=10 + number))
        assert run(tmp_path / "c", "add", paths[-1]).returncode == 0
    return tmp_path / "c", paths


def _part(root: Path, job: str) -> Path:
    opened = catalog.open(root)
    import pyarrow.parquet

    for part in opened.state.of("scheduler_jobs"):
        if job in pyarrow.parquet.read_table(root / part.path)["job"].to_pylist():
            return root / part.path
    raise AssertionError(job)


@pytest.mark.parametrize("missing", [True, False])
def test_a_bad_part_is_dropped_and_its_file_added_again(tmp_path: Path, missing: bool) -> None:
    root, paths = _catalog(tmp_path, 3)
    bad = _part(root, "11")
    bad.chmod(0o644)
    bad.unlink() if missing else bad.write_bytes(bad.read_bytes()[:-3])
    result = run(root, "verify")
    assert result.returncode == 3 and "verify --drop" in result.stderr
    result = run(root, "verify", "--drop")
    assert result.returncode == 0, result.stderr
    assert str(paths[1]) in result.stdout and str(paths[0]) not in result.stdout
    assert run(root, "verify").returncode == 0
    jobs = catalog.open(root).table("scheduler_jobs")["job"].to_pylist()
    assert sorted(jobs) == ["10", "12"]
    assert add(root, paths).added == 1, "the others are there"
    assert sorted(catalog.open(root).table("scheduler_jobs")["job"].to_pylist()) == ["10", "11", "12"]


def test_a_bad_part_of_several_additions_stays_and_is_told(tmp_path: Path) -> None:
    root, _ = _catalog(tmp_path, 3)
    assert run(root, "compact").returncode == 0
    bad = _part(root, "11")
    bad.chmod(0o644)
    bad.unlink()
    result = run(root, "verify", "--drop")
    assert result.returncode == 3 and "backup" in result.stderr
    assert run(root, "verify").returncode == 3
