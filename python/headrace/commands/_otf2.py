"""Asks the OTF2 library, which runs in a process of its own because it crashes where it should fail."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any

from headrace import _errors
from headrace._errors import HeadraceError, LogCorruptError, OutputError

# Modules come from where they came from here: not from the working directory, whatever they are called.
_START = """\
import sys
sys.path[:] = sys.argv[1:]
from headrace._otf2_child import main
main()
"""


def ask(asked: dict[str, Any], told: Callable[[int], None]) -> dict[str, Any]:
    """What headrace/_otf2_child.py answers; `told` gets how many events are done. Raises as it does."""
    command = [sys.executable, "-c", _START, *filter(None, sys.path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", errors="replace",
    ) as child:  # fmt: skip
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None
        errors = _Errors(child.stderr)
        answer: Any = None
        try:
            with contextlib.suppress(BrokenPipeError), child.stdin as stdin:
                json.dump(asked, stdin)
            for line in child.stdout:
                answer = json.loads(line)
                if isinstance(answer, int):
                    told(answer)
        except BaseException:
            child.kill()
            raise
        finally:
            errors.join()
    if not isinstance(answer, dict):
        raise _failure(asked, child.returncode, errors.last)
    if "error" in answer:
        raise getattr(_errors, answer["error"])(answer["message"])
    result: dict[str, Any] = answer["result"]
    return result


class _Errors(threading.Thread):
    """Reads what the child says on standard error, which so never waits for a reader; keeps the last line."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(daemon=True)
        self._stream, self.last = stream, ""
        self.start()

    def run(self) -> None:
        for line in self._stream:
            self.last = line.strip() or self.last


def _failure(asked: dict[str, Any], status: int, said: str) -> HeadraceError:
    said = f": {said}" if said else ""
    read = asked["what"] == "read"
    if status >= 0:
        does = "reads" if read else "writes"
        kind = HeadraceError if read else OutputError
        return kind(f"the process that {does} OTF2 archives failed with exit status {status}{said}")
    crashed = f"the OTF2 library crashed ({signal.Signals(-status).name}), as it does where"
    if read:
        return LogCorruptError(f"{asked['anchor']}: {crashed} an archive is damaged{said}")
    return OutputError(f"{crashed} the disk is full or a quota is reached{said}")
