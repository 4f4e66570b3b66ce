"""Test helpers are imported by their bare names: two of one name in two folders would hide each other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_helpers_of_two_folders_have_two_names() -> None:
    helpers = [file.name for file in TESTS.rglob("*.py") if not file.name.startswith(("test_", "conftest"))]
    assert len(helpers) > 3
    assert [name for name, times in Counter(helpers).items() if times > 1] == []
