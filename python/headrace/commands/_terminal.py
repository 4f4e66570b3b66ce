"""What the output can show: width, colours, symbols."""

from __future__ import annotations

import os
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Terminal:
    """`columns` is None where lines may have any length: in files and pipes, unless COLUMNS is set."""

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

    def wrap(self, text: str, indent: str = "", later: str | None = None) -> list[str]:
        """Plain text as lines of this terminal, or of a page where there is none."""
        later = indent if later is None else later
        return textwrap.wrap(
            text, self.columns or 110, initial_indent=indent, subsequent_indent=later, break_on_hyphens=False
        )

    @property
    def graph_columns(self) -> int:
        return 60 if self.columns is None else max(10, min(60, self.columns - 34))

    @property
    def graph_rows(self) -> int:
        """Lines of a picture that leaves room for what stands around it."""
        try:
            return max(10, os.get_terminal_size(sys.stdout.fileno()).lines - 16)
        except (OSError, ValueError):
            return 40


def terminal() -> Terminal:
    """Of standard output. NO_COLOR (no-color.org) and TERM=dumb turn colours off; COLUMNS sets the width.

    A width below 40 counts as 40: tables need as much.
    """
    is_terminal = sys.stdout.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return Terminal(
        columns=max(40, _columns()) if is_terminal or _wanted_columns() else None,
        colour=is_terminal and not plain,
        unicode=encoding.startswith("utf"),
    )


def _columns() -> int:
    """As shutil.get_terminal_size gives it; importing shutil would load three compression libraries."""
    if wanted := _wanted_columns():
        return wanted
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return 100


def _wanted_columns() -> int:
    wanted = os.environ.get("COLUMNS", "")
    return int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 7 else 0


@contextmanager
def working(what: str, after_seconds: float = 2.0) -> Iterator[None]:
    """Shows on standard error that something takes long, once it does; nothing where nobody watches."""
    with counting(what, 0, after_seconds):
        yield


@contextmanager
def counting(what: str, total: int, after_seconds: float = 2.0) -> Iterator[Callable[[int], None]]:
    """The same, with how much of `total` is done, as the function that it gives is told; 0: nobody knows."""
    done_of = [0]

    def tell(done: int) -> None:
        done_of[0] = done

    if not sys.stderr.isatty():
        yield tell
        return
    done = threading.Event()

    def text() -> str:
        return f"{what}: {min(100, 100 * done_of[0] // total)} %" if total else what

    thread = threading.Thread(target=_spin, args=(text, after_seconds, done), daemon=True)
    thread.start()
    try:
        yield tell
    finally:
        done.set()
        thread.join()


def _spin(text: Callable[[], str], after_seconds: float, done: threading.Event) -> None:
    if done.wait(after_seconds):
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(text())) as status:
        while not done.wait(0.25):
            status.update(Text(text()))
