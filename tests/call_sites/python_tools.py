"""The interpreters that tests of Python call sites run under, and what they found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent / "python"
VERSIONS = ("3.10", "3.11", "3.12", "3.13")
MORE = "HEADRACE_TEST_PYTHONS"  # names of further interpreters, with : between


def version_of(python: str) -> str:
    """Such as "3.11"; "" when it does not run."""
    question = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", question], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def candidates(version: str) -> list[str]:
    """Programs that may be that version: the project's own, listed ones, those on PATH and those of pyenv."""
    found = [sys.executable, *filter(None, os.environ.get(MORE, "").split(":"))]
    found += [name for name in (shutil.which(f"python{version}"), "/usr/bin/python3") if name]
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return found + [str(path) for path in sorted(root.glob(f"versions/{version}.*/bin/python{version}"))]


def find_pythons() -> dict[str, str]:
    """{version: program}; the project's own has the name "own", Debian's "system"."""
    found = {"own": sys.executable}
    if Path("/usr/bin/python3").exists() and version_of("/usr/bin/python3") in VERSIONS:
        found["system"] = "/usr/bin/python3"
    for version in VERSIONS:
        for program in candidates(version):
            if Path(program).exists() and version_of(program) == version:
                found[version] = program
                break
    return found


def python_line(source: str, mark: str) -> int:
    """The number of the line that ends in a comment `LINE: mark`."""
    lines = (HERE / source).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# LINE: {mark}"))
