"""What Headrace takes from other packages, and the command that installs it for this Python.

It works where no environment is activated, and where Headrace is on no index: what an extra brings is named,
not the extra.
"""

from __future__ import annotations

import shlex
import sys

# As pyproject.toml has them.
EXTRAS = {
    "catalog": ("duckdb>=1.2", "pytz"),
    "pandas": ("pandas>=2.0",),
    "spark": ("ibis-framework[pyspark]>=10", "pyspark>=4.0,<4.1"),
}


def pip_install(*packages: str) -> str:
    """What a shell can run."""
    return shlex.join([sys.executable or "python3", "-m", "pip", "install", *packages])


def install_extra(extra: str) -> str:
    return pip_install(*EXTRAS[extra])


def not_usable(package: str, error: ImportError) -> str:
    """A sentence for a package that cannot be imported: it is not there, or refuses what is beside it."""
    if isinstance(error, ModuleNotFoundError):
        return f"{package} is not installed: {pip_install(package)}"
    why = str(error).partition("\n")[0]
    return f"{package} is installed and cannot be used ({why}): {pip_install('--upgrade', package, 'numpy')}"


def missing_module(error: ModuleNotFoundError) -> str:
    """A sentence for a module that a command cannot do without."""
    package = (error.name or "").partition(".")[0]
    if package == "headrace":
        return f"this installation of Headrace lacks {error.name}: install its wheel again"
    return f"{package} is not installed, and this command needs it: {pip_install(package)}"
