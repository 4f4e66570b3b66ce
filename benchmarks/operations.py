"""The measured operations: which program runs, and what each may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """One operation of a micro program; ``goal_ns`` is what capture may add to it, in CPU time."""

    name: str
    title: str
    program: str
    function: str  # what a log calls it; "" for what has no function there
    goal_ns: float | None = None
    arguments: tuple[str, ...] = ()
    needs_directory: bool = True

    @property
    def figure(self) -> str:
        """The figure to report, see ``output.beyond_reference``."""
        return "beyond-all" if self.program == "threads_pread" else "beyond"


OPERATIONS = (
    Operation("write", "1 B write", "small_write", "write", 25),
    Operation("pread", "1 B pread", "small_pread", "pread", 30),
    Operation("fwrite", "8 B fwrite", "buffered_write", "fwrite", 12),
    Operation("putc", "putc", "buffered_byte", "fputc", 8),
    Operation("open-close", "open + close over 1,000 files", "open_close", "open", 180),
    Operation("threads-1", "1 thread, pread of one file", "threads_pread", "pread", 35, ("1",)),
    Operation("threads-8", "8 threads, pread of one file", "threads_pread", "pread", 35, ("8",)),
    Operation("threads-64", "64 threads, pread of one file", "threads_pread", "pread", 35, ("64",)),
    Operation("excluded", "1 B write to an excluded path", "excluded_write", "", 5, needs_directory=False),
    Operation("stat", "stat", "stat_path", "stat"),
)


@dataclass(frozen=True)
class Growth:
    """How much more one operation adds than another: two operations of the same round."""

    name: str
    title: str
    many: str
    one: str


GROWTHS = (
    Growth("growth-8", "growth from 1 to 8 threads", "threads-8", "threads-1"),
    Growth("growth-64", "growth from 1 to 64 threads", "threads-64", "threads-1"),
)

PROCESS_ROWS = ("true", "exit")
ALL_NAMES = (*(o.name for o in OPERATIONS), *PROCESS_ROWS, "log")
