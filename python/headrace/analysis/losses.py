"""What a gap takes from the figures, and what brings it back."""

from __future__ import annotations

# These lack detail alone: every call and byte is counted all the same.
_DETAILS = frozenset(
    {
        "call sites",
        "calls of libraries",
        "clusters of phases",
        "clusters of ranks",
        "ends of phases",
        "excluded paths",
        "instances of phases",
        "layouts of files",
        "operations without a file",
        "phases",
        "properties of files",
        "Python code of call sites",
        "reduction over ranks",
        "sizes of operations",
        "spool growth",
        "vfork children",
        "working directory",
    }
)

_MORE_MEMORY = "give capture more memory: --memory"

# By the first word of why a process was not captured, as the launcher writes it.
_OF_PROCESSES = {
    "static": "link it with capture (docs/deployment.md, static programs) or dynamically",
    "loader": "start the program itself, not the loader",
    "listed": "take it out of never_capture in the configuration",
    "setuid": "run it as the user that it changes to",
    "other-root": "put `headrace run` before the program there",
    "other-user": "put `headrace run` before the program there, as that user",
    "too-large": "give it fewer or shorter arguments and variables",
    "limits": "raise the limit",
    "no-memory": "raise the limit on memory, or give the job more",
    "no-space": "free space where spools are, or choose another place: --spool",
    "no-spool": "make the spool directory writable, or choose another: --spool",
    "no-directory": "make the spool directory writable, or choose another: --spool",
}

# Of calls that are in no file, by how their reason begins (src/capture/harvest/apart_totals.cc).
_TO_BE_IN_A_FILE = {
    "made without memory": _MORE_MEMORY,
    "made while the process had no descriptor": "raise the limit on open files: ulimit -n",
    "made on more open files": "keep fewer files open at once, or raise a limit on addresses: ulimit -v",
    "made by signal handlers": "let signal handlers do no I/O",
    "made on files that io_uring opened": "let the program open its files with descriptors",
}

_BY_KIND = {
    **dict.fromkeys(
        ("calls of HDF5", "calls of PnetCDF", "calls of MPI", "calls of io_uring"), "link the shared library"
    ),
    "asynchronous I/O": "give the program's rings more entries, or let it fetch the results of its requests",
    "events of the trace": "give tracing more memory (--trace-memory), or trace less (--trace-only)",
    "Go programs": "put `headrace run` before what the program starts",
    "io_uring": "let the program make its rings after a fork, and by liburing or syscall()",
    "operations with equal user_data": "give each operation of a ring its own user_data",
    "processes": "put `headrace run` before what is started there",
    "ranks not in the log": "put `headrace run` before the program on every node",
    "requests of MPI": "complete or free requests sooner, so that fewer wait at once",
    "threads": _MORE_MEMORY,
}


def is_loss(what: str) -> bool:
    """Whether calls or bytes are missing from the figures, and not detail alone."""
    return what not in _DETAILS


def remedy(what: str, reason: str) -> str | None:
    """What to do so that the next run has it. None: nothing is known."""
    if what == "processes not captured":
        return _OF_PROCESSES.get(reason.partition(":")[0])
    if what == "events of the trace" and "--trace-size" in reason:
        return None  # the reason says it
    if what in ("reads and writes", "other calls"):
        return None if "io_uring" in reason else _MORE_MEMORY
    if what == "operations without a file":
        return next((each for begin, each in _TO_BE_IN_A_FILE.items() if reason.startswith(begin)), None)
    return _BY_KIND.get(what)
