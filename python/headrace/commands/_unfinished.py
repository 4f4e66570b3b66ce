"""Who hung where, in words."""

from __future__ import annotations

from typing import Any

from headrace.analysis.rank_lists import rank_list
from headrace.commands._terminal import Terminal
from headrace.commands._text import duration, printable
from headrace.text import count

Facts = dict[str, Any]

_MOST = 8  # lines
_HANGS_NS = 1_000_000_000  # a running process is always in some call; in most not for so long
_WHEN = {"killed": "when {} killed"}
_BY_ITSELF = ("exit", "exec")  # such processes leave helpers waiting, which is no fault


def unfinished_lines(threads: list[Facts], terminal: Terminal) -> list[str]:
    """A sentence for those that were in the same call of the same file; killed processes first.

    None of threads whose process ended by itself.
    """
    groups: dict[tuple[Any, ...], list[Facts]] = {}
    for thread in threads:
        is_short = thread["ended"] == "running" and (thread["for_ns"] or 0) < _HANGS_NS
        if is_short or thread["ended"] in _BY_ITSELF:
            continue
        calls = tuple((call["function"], call["path"]) for call in thread["calls"])
        alone = () if thread["rank"] is not None else (thread["process"],)
        groups.setdefault((thread["ended"], calls, thread["thread"] == 1, *alone), []).append(thread)
    texts = [_sentence(them) for them in groups.values()]
    if len(texts) > _MOST:
        texts[_MOST:] = [f"… and {count(len(texts) - _MOST, 'more group')} of threads in calls: see --json"]
    return [terminal.warn(line) for text in texts for line in terminal.wrap(text, "  ", "    ")]


def _sentence(threads: list[Facts]) -> str:
    first, several = threads[0], len(threads) > 1
    running = first["ended"] == "running"
    verb = ("are" if several else "is") if running else ("were" if several else "was")
    when = _WHEN.get(first["ended"], "" if running else "when last seen")
    when = when.format("they were" if several else "it was")
    return (
        " ".join(part for part in (_who(threads), verb, _where(first), _how_long(threads), when) if part)
        + "."
    )


def _who(threads: list[Facts]) -> str:
    first = threads[0]
    if first["rank"] is None:
        who = "a process" if first["pid"] is None else f"pid {first['pid']}"
    else:
        ranks = {thread["rank"] for thread in threads}
        who = f"rank{'s' if len(ranks) > 1 else ''} {rank_list(ranks)}"
    if first["thread"] == 1:
        return who
    which = f"thread {first['thread']}" if len(threads) == 1 else f"{len(threads):,} threads"
    return f"{who}, {which},"


def _where(thread: Facts) -> str:
    """What the program called, and in brackets what that had called."""
    names = [
        printable(call["function"]) + (f" of {printable(call['path'])}" if call["path"] else "")
        for call in thread["calls"]
    ]
    return f"in {names[0]}" + (f" (inside it: {', '.join(names[1:])})" if names[1:] else "")


def _how_long(threads: list[Facts]) -> str:
    known = [thread["for_ns"] for thread in threads if thread["for_ns"] is not None]
    if not known:
        return ""
    least, most = duration(min(known)), duration(max(known))
    return f"for {least}" if least == most else f"for {least} to {most}"
