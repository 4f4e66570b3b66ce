"""What otf2-print, the OTF2 library's own reader, says of an archive."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

_RECORD = re.compile(r"^([A-Z0-9_]+) +([0-9]+) +([0-9]+)(?:  (.*))?$")
_ATTRIBUTE = re.compile(r'\("([^"]*)" <[0-9]+>; [A-Z0-9_]+; ("(?:.*)" <[0-9]+>|[^)]*)\)')


def printed(archive: Path, *options: str) -> str:
    run = subprocess.run(
        ["otf2-print", *options, str(archive / "traces.otf2")], capture_output=True, timeout=60, check=False
    )
    said = run.stderr.decode(errors="backslashreplace")
    assert (run.returncode, said) == (0, ""), said
    return run.stdout.decode(errors="backslashreplace")


def records(archive: Path) -> list[dict[str, Any]]:
    """One a record: kind, location, time, text, and attributes by name. Names may not have line breaks."""
    found: list[dict[str, Any]] = []
    for line in printed(archive).split("\n"):
        if match := _RECORD.match(line):
            kind, location, time, text = match.groups()
            found.append(
                {"kind": kind, "location": int(location), "time": int(time), "text": text or "", "with": {}}
            )
        elif "ADDITIONAL ATTRIBUTES" in line:
            found[-1]["with"] = dict(_ATTRIBUTE.findall(line))
    return found


def counts(archive: Path) -> Counter[str]:
    return Counter(record["kind"] for record in records(archive))
