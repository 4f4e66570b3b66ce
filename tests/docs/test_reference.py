"""The generated reference pages are those of the present lists."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USED = ["src/intercept/functions.def", "src/intercept/left_out.def", "src/model/counters.def"]
USED += [
    *(f"src/intercept/{name}.def" for name in ("mpi", "mpi_counts", "mpi_files", "mpi_left_out")),
    "docs/reference/mpi.md",
    "src/intercept/hdf5.def",
    "docs/reference/hdf5.md",
    "src/intercept/pnetcdf.def",
    "src/intercept/asynchronous.def",
    "docs/reference/asynchronous.md",
    "src/intercept/forward.def",
    "docs/reference/pnetcdf.md",
    "docs/reference/forward.md",
]
USED += [
    "scripts/make_reference.py",
    "scripts/function_lists.py",
    "scripts/library_lists.py",
    "docs/reference/functions.md",
]
USED += ["docs/reference/counters.md", "docs/reference/figures.md", "python/headrace/analysis/definitions.py"]


def run(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, root / "scripts" / "make_reference.py", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_pages_are_up_to_date() -> None:
    result = run(ROOT, "--check")
    assert (result.returncode, result.stderr) == (0, "")


def test_a_changed_list_makes_its_page_stale(tmp_path: Path) -> None:
    for name in USED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    counters = tmp_path / "src/model/counters.def"
    counters.write_text(counters.read_text() + 'COUNTER(naps, count, sum, "a | b \\"quoted\\"")\n')
    result = run(tmp_path, "--check")
    assert result.returncode == 1
    assert result.stderr == "docs/reference/counters.md is out of date: run scripts/make_reference.py\n"
    assert run(tmp_path).returncode == 0
    page = (tmp_path / "docs/reference/counters.md").read_text()
    assert '| `naps` | number | sum | a \\| b "quoted" |' in page
    assert run(tmp_path, "--check").returncode == 0


def test_every_function_has_its_line() -> None:
    source = (ROOT / "src/intercept/functions.def").read_text()
    page = (ROOT / "docs/reference/functions.md").read_text()
    names = re.findall(r"^(?:UNDECLARED_)?(?:FUNCTION|SPECIAL)\((\w+),", source, re.MULTILINE)
    assert len(names) > 250
    assert [name for name in names if f"| `{name}` |" not in page] == []
