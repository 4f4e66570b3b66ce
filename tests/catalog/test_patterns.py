"""Patterns of a device map: the same names by Python, by SQL, and by a shell's own rules."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pyarrow
import pytest
from headrace import catalog
from headrace._errors import UsageError
from headrace.catalog import patterns
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = ["sda", "sdb1", "nvme0n1", "dm-0", "a.b", "aXb", "a+b", "c[d", ""]
PATTERNS = ["sd?", "sd*", "sd[a-c]*", "sd[!a]*", "*", "a.b", "a+b", "[ac]*", "nvme?n[0-9]", ""]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_same_names_fit_as_of_a_shell(pattern: str) -> None:
    patterns.check(pattern)
    fits = [name for name in NAMES if re.search(patterns.regular(pattern), name)]
    assert fits == [name for name in NAMES if fnmatch.fnmatchcase(name, pattern)]


@pytest.mark.parametrize(
    "pattern",
    ["sd(", "sd[", "sd]", "a|b", "^a", "a$", "sd[]", "[z-a]", "a\\", "x{2}", "[[a]]", "[a.]", "a\n"],
)
def test_what_is_no_pattern_is_refused(pattern: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no pattern"):
        patterns.check(pattern)
    rows = pyarrow.table({"host": ["*"], "device": [pattern], "server": ["s"], "file_system": ["f"]})
    with pytest.raises(UsageError, match="is no pattern"):
        catalog.write_tables(tmp_path / "c", {"devices": rows}, "a map")


@settings(deadline=None)
@given(st.text("ab.+*?[]!-^$(|\\", max_size=8))
def test_a_pattern_that_is_taken_is_a_regular_expression(pattern: str) -> None:
    try:
        patterns.check(pattern)
    except UsageError:
        return
    duckdb = pytest.importorskip("duckdb")
    asked = f"SELECT {patterns.sql('p')}, regexp_matches('ab', {patterns.sql('p')}) FROM (SELECT ? AS p)"
    with duckdb.connect() as connection:
        ((regular, fits),) = connection.execute(asked, [pattern]).fetchall()
    assert regular == patterns.regular(pattern)
    assert fits == bool(re.search(regular, "ab"))
