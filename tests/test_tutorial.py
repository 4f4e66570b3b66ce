"""The commands of docs/tutorial.md work and print what it shows.

In a block of ```console lines with "$ " are commands and those with "> " continue them; the rest is what the
command prints, where "..." stands for any text and spaces may differ in number.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TUTORIAL = Path(__file__).parents[1] / "docs/tutorial.md"


def steps(text: str) -> list[tuple[str, str]]:
    """Each command with the output shown below it."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], ""))
                continue
            command, output = found[-1]
            if line == ">" or line.startswith("> "):
                found[-1] = (f"{command}\n{line[2:]}", output)
            else:
                found[-1] = (command, f"{output}{line}\n")
    return found


def matches(shown: str, printed: str) -> bool:
    """Whether the output is the one shown; nothing shown means that it is left out."""
    if not shown.strip():
        return True
    text = " ".join(printed.split())
    first, *rest = [" ".join(part.split()) for part in shown.split("...")]
    if not rest:
        return text == first
    at = len(first) if text.startswith(first) else -1
    for part in rest[:-1]:
        found = text.find(part, at) if at >= 0 else -1
        at = found + len(part) if found >= 0 else -1
    return 0 <= at <= len(text) - len(rest[-1]) and text.endswith(rest[-1])


def test_the_matcher_can_fail() -> None:
    assert matches("a ... d\n", "a  b\nc d\n")
    assert not matches("a ... d\n", "a b c\n")
    assert matches("a ... b ... d\n", "a x b y d\n")
    assert not matches("a ... b ... b\n", "a x b\n")
    assert not matches("a\n", "a b\n")
    assert steps("```console\n$ one <<E\n> two\n> E\nout\n$ three\n```\n") == [
        ("one <<E\ntwo\nE", "out\n"),
        ("three", ""),
    ]


def test_every_command_of_the_tutorial(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEADRACE")}
    environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment["SOURCES"] = str(TUTORIAL.parents[1])
    for command, shown in steps(TUTORIAL.read_text(encoding="utf-8")):
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert run.returncode == 0, f"$ {command}\n{run.stdout}{run.stderr}"
        assert matches(shown, run.stdout), f"$ {command}\n--- shown\n{shown}--- printed\n{run.stdout}"
