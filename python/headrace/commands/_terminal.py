"""What the output can show: width, colours, symbols."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Terminal:
    """`columns` is None where lines may be of any length: in files and pipes names are not shortened."""

    columns: int | None
    colour: bool
    unicode: bool

    def bold(self, text: str) -> str:
        return click.style(text, bold=True) if self.colour else text

    def dim(self, text: str) -> str:
        return click.style(text, dim=True) if self.colour else text

    def warn(self, text: str) -> str:
        return click.style(text, fg="yellow") if self.colour else text

    def good(self, text: str) -> str:
        return click.style(text, fg="green") if self.colour else text

    def bad(self, text: str) -> str:
        return click.style(text, fg="red") if self.colour else text

    @property
    def graph_columns(self) -> int:
        return 60 if self.columns is None else max(10, min(60, self.columns - 34))


def terminal() -> Terminal:
    """Of standard output. NO_COLOR (no-color.org) and TERM=dumb turn colours off; COLUMNS sets the width."""
    is_terminal = sys.stdout.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return Terminal(
        columns=max(40, _columns()) if is_terminal else None,
        colour=is_terminal and not plain,
        unicode=encoding.startswith("utf"),
    )


def _columns() -> int:
    """As shutil.get_terminal_size gives it; importing shutil would load three compression libraries."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return 100


@contextmanager
def working(what: str, after_seconds: float = 2.0) -> Iterator[None]:
    """Shows on standard error that something takes long, once it does; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_spin, args=(what, after_seconds, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _spin(what: str, after_seconds: float, done: threading.Event) -> None:
    if done.wait(after_seconds):
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(what)):
        done.wait()
