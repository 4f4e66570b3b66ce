"""The OTF2 library in a process of its own: `python -m headrace._otf2_child`.

The library crashes when a disk is full, and on some damaged archives. Standard input is one JSON object,
what to do; standard output is lines of JSON: numbers, how many events are done, and at the end an object, the
result or the exception.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from headrace._errors import HeadraceError, MissingPackageError

_MISSING = (
    "OTF2 archives need the OTF2 library, version 3, and this Headrace was built without it or cannot load it"
    " ({}). Install it (Debian: libotf2-trace-dev) and build Headrace again; other formats need nothing"
)


def main() -> None:
    asked = json.load(sys.stdin)
    # Whatever the library prints goes nowhere.
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def told(events: int) -> None:
        print(events, file=output, flush=True)

    try:
        answer: dict[str, Any] = {"result": _do(asked, told)}
    except HeadraceError as error:
        answer = {"error": type(error).__name__, "message": str(error)}
    print(json.dumps(answer), file=output, flush=True)


def _do(asked: dict[str, Any], told: Any) -> dict[str, Any]:
    try:
        from headrace import _otf2
    except ImportError as error:
        raise MissingPackageError(_MISSING.format(error)) from error
    if asked["what"] == "read":
        return _otf2.read(os.fsencode(asked["anchor"]), os.fsencode(asked["output"]), told)
    return _otf2.write(
        os.fsencode(asked["trace"]),
        asked["job"],
        os.fsencode(asked["directory"]),
        asked["locations"],
        asked["begin_at_ns"],
        asked["end_at_ns"],
        told,
    )


if __name__ == "__main__":
    main()
