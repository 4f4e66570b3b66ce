"""docs/formats/catalog.md says what python/headrace/catalog/schema.py does."""

from __future__ import annotations

import re
from pathlib import Path

from headrace.catalog.schema import TABLES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats" / "catalog.md"


def test_the_page_has_the_tables_and_columns_of_the_schema() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = {}
    for section in text.split("\n### `")[1:]:
        name, _, body = section.partition("`")
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w*) \| (.*) \|$", body, re.MULTILINE)
        found[name] = (rows, body.split("\n\n")[1])
    for table in TABLES.values():
        split = f" Split by the month of `{table.month}`." if table.month else ""
        assert found[table.name] == ([tuple(column) for column in table.columns], table.doc + split)
    assert list(found) == list(TABLES)
