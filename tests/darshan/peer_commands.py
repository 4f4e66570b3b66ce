"""Runs every command of PyDarshan on one log: `python peer_commands.py LOG REPORT.html`.

Prints a JSON object: what each said, by its words, or {"error": …}. One process, because matplotlib takes
seconds to load; each command goes through PyDarshan's own parser of the command line.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

MODULES = ("POSIX", "MPI-IO", "STDIO")


def commands(log: str, report: str) -> list[list[str]]:
    of_modules = [
        [command, "--csv", "--module", module, log]
        for command in ("job_stats", "file_stats")
        for module in MODULES
    ]
    plain = [[command, log] for command in ("info", "name_records", "to_json", "job_stats", "file_stats")]
    return [*plain, *of_modules, ["summary", "--enable_dxt_heatmap", "--output", report, log]]


def said(words: list[str]) -> Any:
    from darshan.cli import main

    told, complaints = io.StringIO(), io.StringIO()
    sys.argv = ["darshan", *words]
    try:
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(complaints):
            main()
    except SystemExit as end:  # a module that the log does not have
        if end.code:
            return {"error": complaints.getvalue()}
    except Exception:
        return {"error": traceback.format_exc()}
    if complaints.getvalue():  # of the processes in which logs are read
        return {"error": complaints.getvalue()}
    return told.getvalue()


def main() -> None:
    import darshan.cli

    warnings.simplefilter("ignore")
    log, report = sys.argv[1:]
    known = {path.stem for path in Path(darshan.cli.__file__).parent.glob("*.py")} - {"__init__", "__main__"}
    asked = commands(log, report)
    unasked = known - {words[0] for words in asked}
    results: dict[str, Any] = {"unasked": sorted(unasked)}
    for words in asked:
        results[" ".join(word for word in words if word not in (log, report))] = said(words)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
