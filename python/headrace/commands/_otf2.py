"""Asks the OTF2 library, which runs in a process of its own because it crashes where it should fail."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from headrace import _errors
from headrace._errors import HeadraceError, LogCorruptError, OutputError


def ask(asked: dict[str, Any], told: Callable[[int], None]) -> dict[str, Any]:
    """What headrace/_otf2_child.py answers; `told` gets how many events are done. Raises as it does."""
    command = [sys.executable, "-m", "headrace._otf2_child"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        answer: Any = None
        try:
            with child.stdin as stdin:
                json.dump(asked, stdin)
            for line in child.stdout:
                answer = json.loads(line)
                if isinstance(answer, int):
                    told(answer)
        except BaseException:
            child.kill()
            raise
    if not isinstance(answer, dict):
        raise _crash(asked, child.returncode)
    if "error" in answer:
        raise getattr(_errors, answer["error"])(answer["message"])
    result: dict[str, Any] = answer["result"]
    return result


def _crash(asked: dict[str, Any], status: int) -> HeadraceError:
    name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    if asked["what"] == "read":
        return LogCorruptError(
            f"{asked['anchor']}: the OTF2 library crashed ({name}), as it does where an archive is damaged"
        )
    return OutputError(
        f"the OTF2 library crashed ({name}), as it does where the disk is full or a quota is reached"
    )
