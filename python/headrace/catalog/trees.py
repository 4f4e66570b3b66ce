"""The files of trees that are to be added."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from headrace.catalog.catalog import is_catalog

__all__ = ["files_below"]

Told = Callable[[Path, str], None]


def files_below(
    paths: list[Path],
    catalog: Path,
    refused: Told = lambda *_: None,
    left_out: Told = lambda *_: None,
) -> list[Path]:
    """Files, in order; the catalog's own are none of them.

    `refused` is told what cannot be looked into, `left_out` what other catalogs lie in a tree: their parts,
    dead ones among them, are no files to add.
    """
    found = []
    own = os.path.realpath(catalog)
    for path in paths:
        whole = Path(os.path.realpath(path))  # of a link to itself: what can be said of it
        if own in (str(whole), *map(str, whole.parents)):
            refused(path, f"{path}: is in the catalog itself, which has it")
        elif is_catalog(path):
            refused(path, f"{path}: is a catalog: add what it was made of")
        elif os.path.isdir(path):  # noqa: PTH112 (is_dir() raises where a name is too long or nobody may look)
            found += _below(path, own, refused, left_out)
        else:
            found.append(path)
    return found


def _below(path: Path, own: str, refused: Told, left_out: Told) -> list[Path]:
    def unreadable(error: OSError) -> None:
        name = Path(os.fsdecode(error.filename))
        refused(name, f"{name}: cannot be read: {error.strerror}")

    found = []
    for directory, folders, names in os.walk(path, onerror=unreadable):
        kept = []
        for folder in (Path(directory, name) for name in sorted(folders)):
            if is_catalog(folder):
                if os.path.realpath(folder) != own:
                    left_out(
                        folder, f"{folder}: is left out: it is a catalog, whose parts are no files to add"
                    )
            else:
                kept.append(folder.name)
        folders[:] = kept
        found += [Path(directory, name) for name in sorted(names)]
    return found
