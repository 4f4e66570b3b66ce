"""Where the native parts of this installation are, whichever way it was installed."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def native_program() -> Path:
    """The `headrace` command of this package: see `_prefixes`, else the one in PATH. It may not be there."""
    places = [prefix / "bin/headrace" for prefix in _prefixes()]
    found = next((place for place in places if place.is_file()), None)
    return found or Path(shutil.which("headrace") or places[-1])


def library(name: str) -> Path:
    """Beside the library that HEADRACE_LIBRARY names, else in lib/headrace/. It may not be there."""
    named = os.environ.get("HEADRACE_LIBRARY")
    beside = Path(named).parent / name if named else None
    if beside and beside.is_file():
        return beside
    return native_program().resolve().parent.parent / "lib/headrace" / name


def page(name: str) -> str:
    """How a message names a page, such as "show.md", to somebody who has no sources."""
    return f"docs/{name} (in `headrace config --documents`)"


def _prefixes() -> list[Path]:
    """Directories that bin/headrace may be in, the likeliest first.

    Installers put them above this package: PREFIX/lib/python3.X/site-packages/headrace; or, asked for a
    target, beside it. The package of a source tree, used in place, is in no such directory: its environment
    is that of the Python which runs.
    """
    packages = Path(__file__).parents[1]
    above = list(packages.parents[:3]) if packages.name.endswith("-packages") else [packages]
    return [*above[::-1], Path(sys.executable).parent.parent, Path(sys.prefix)]
