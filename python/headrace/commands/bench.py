"""`headrace bench`: workloads are the native program's; studies and tables of their figures are here."""

from __future__ import annotations

from headrace.commands._native_parts import native_command

# The native program hands these words here (src/programs/headrace/main.cc).
PARTS = {
    "facility": "headrace.commands.bench_facility",
    "paper": "headrace.commands.bench_paper",
    "parquet": "headrace.commands.bench_parquet",
}

command = native_command("bench", "Run an I/O workload and measure it.", PARTS)
