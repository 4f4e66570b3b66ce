"""`headrace scan`: the walk is the native program's; what is done with its file is here."""

from __future__ import annotations

from headrace.commands._native_parts import native_command

# The native program hands these words here (src/programs/headrace/scan.cc). The walk itself runs `rules` and
# `parquet`.
PARTS = {
    "show": "headrace.commands.scan_show",
    "csv": "headrace.commands.scan_csv",
    "merge": "headrace.commands.scan_merge",
    "diff": "headrace.commands.scan_diff",
    "rules": "headrace.commands.scan_rules",
    "parquet": "headrace.commands.scan_parquet",
}

command = native_command(
    "scan", "Count what is in a file system: files and bytes by size, age, owner.", PARTS
)
