"""Handing a command on to the native program of this installation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NoReturn

from headrace._errors import UsageError
from headrace._places import native_program

_HANDED_ON = "HEADRACE_HANDED_ON"


def become_native(name: str, arguments: Sequence[str]) -> NoReturn:
    """UsageError: it is not there, or has handed the command back, as an older one does that has none."""
    program = native_program()
    if not program.exists():
        raise UsageError(f"'headrace {name}' is a native program, and it is not at {program}")
    if os.environ.get(_HANDED_ON) == f"{os.getpid()} {name}":
        raise UsageError(f"{program} is older than this package and has no '{name}'; install Headrace again")
    os.environ[_HANDED_ON] = f"{os.getpid()} {name}"
    os.execv(program, [str(program), name, *arguments])
