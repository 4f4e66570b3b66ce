"""`headrace monitor`: sampling is the native program's; what is done with samples is here."""

from __future__ import annotations

from headrace.commands._native_parts import native_command

# The native program hands these words here (src/programs/headrace/monitor.cc).
PARTS = {
    "show": "headrace.commands.monitor_show",
    "import": "headrace.commands.monitor_import",
    "export": "headrace.commands.monitor_export",
}

command = native_command(
    "monitor", "Sample block devices and Lustre servers into a store, and show it.", PARTS
)
