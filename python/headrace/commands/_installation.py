"""How this installation is repaired, and how it gets a part that it lacks."""

from __future__ import annotations

from pathlib import Path

from headrace._packages import pip_install
from headrace._places import library, page


def source_tree() -> Path | None:
    """The sources, when the package is used where it lies in them (`make build`)."""
    tree = Path(__file__).resolve().parents[3]
    return tree if (tree / "scripts/build").is_file() and (tree / "pyproject.toml").is_file() else None


def again() -> str:
    tree = source_tree()
    if tree:
        return f"install Headrace again: make -C {tree} build"
    install = pip_install("--force-reinstall")
    return (
        f"install Headrace again: {install}, then the whole file name of its wheel; --target leaves files out"
    )


def added_by(packages: str) -> str:
    """`packages`: those of Debian that a build needs for the part."""
    if not library("libheadrace.so").exists():
        return again()  # what every build has is not there either
    tree = source_tree()
    if tree:
        return f"apt-get install {packages}, then make -C {tree} build"
    return (
        f"install a wheel that was built where they are: apt-get install {packages}, then make wheel in "
        f"Headrace's sources: {page('installing.md')}"
    )
