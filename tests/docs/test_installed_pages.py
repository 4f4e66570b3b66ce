"""The pages that an installation has lead nowhere outside of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.prefix) / "bin/headrace"
LINK = re.compile(r"\]\((?![a-z]+://)([^)#\s]+)(?:#[^)\s]*)?\)")


def installed() -> Path:
    done = subprocess.run([COMMAND, "config", "--documents"], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def test_no_link_is_dead() -> None:
    pages = list(installed().rglob("*.md"))
    assert len(pages) > 40
    dead = [
        f"{page.name}: {link}"
        for page in pages
        for link in LINK.findall(page.read_text(encoding="utf-8"))
        if not Path(os.path.normpath(page.parent / link)).exists()
    ]
    assert dead == []


def test_every_page_is_there_as_it_was_written() -> None:
    """But for these links."""
    place, wanted = installed(), [*ROOT.glob("docs/**/*"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    for page in wanted:
        name = page.relative_to(ROOT)
        if page.is_dir():
            continue
        if page.suffix != ".md":
            assert (place / name).read_bytes() == page.read_bytes(), name
            continue
        lines = page.read_text(encoding="utf-8").splitlines()
        there = (place / name).read_text(encoding="utf-8").splitlines()
        assert len(lines) == len(there), name
        changed = [line for line, text in zip(lines, there, strict=True) if line != text]
        assert all("[" in line or "](" in line for line in changed), (name, changed)
