"""How this installation is repaired, and how it gets a part that it lacks."""

from __future__ import annotations

from pathlib import Path


def source_tree() -> Path | None:
    """The sources, when the package is used where it lies in them (`make build`)."""
    tree = Path(__file__).resolve().parents[3]
    return tree if (tree / "scripts/build").is_file() and (tree / "pyproject.toml").is_file() else None


def again() -> str:
    tree = source_tree()
    if tree:
        return f"install Headrace again: make -C {tree} build"
    wheel = "pip install --force-reinstall headrace-….whl"
    return f"install Headrace again: {wheel} (--target would leave files out)"


def added_by(packages: str) -> str:
    """`packages`: those of Debian that a build needs for the part."""
    tree = source_tree()
    if tree:
        return f"apt-get install {packages}, then make -C {tree} build"
    return (
        f"install a wheel that was built where they are: apt-get install {packages}, then make wheel in "
        "Headrace's sources (docs/installing.md)"
    )
