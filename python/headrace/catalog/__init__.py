"""The catalog of a facility: job logs, scheduler records, samples and scans, as partitioned Parquet.

`open` a directory that `headrace catalog --at DIR add` or `write_tables` made, and `connect` to it with SQL.
Tables: schema.py; derived views: views.py; the directory: docs/formats/catalog.md.
"""

from __future__ import annotations

from headrace.catalog.catalog import Catalog, create, open, write_tables
from headrace.catalog.schema import TABLES, arrow_schema

__all__ = ["TABLES", "Catalog", "arrow_schema", "create", "open", "write_tables"]
