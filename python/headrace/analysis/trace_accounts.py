"""What a trace has not, by wish or for want of room: in calls what was never recorded, in events what was."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from headrace.analysis.trace_filters import records

# What the table `accounts` of traces has of what was not recorded: its unit, one and many, and why.
LEFT_OUT = {
    "paused": (
        "call, region or counter",
        "calls, regions and counters",
        "while the program had recording switched off",
    ),
    "module": (
        "call, region or counter",
        "calls, regions and counters",
        "of modules that were not asked for",
    ),
    "name": (
        "call, region or counter",
        "calls, regions and counters",
        "of functions and regions that were not asked for",
    ),
    "phase": ("call, region or counter", "calls, regions and counters", "outside of the phases asked for"),
    "rank": ("call, region or counter", "calls, regions and counters", "of ranks that were not asked for"),
    "short": ("call or region", "calls and regions", "shorter than asked for"),
    "deep": ("region", "regions", "inside of too many regions"),
    "nameless": ("region or counter", "regions and counters", "without memory for their names"),
    "interrupted": (
        "region, counter or wait",
        "regions, counters and waits",
        "of signal handlers that came while something was recorded",
    ),
    "jumped": ("call at most", "calls at most", "cut short by a jump out of a signal handler"),
}
_KEYS = re.compile(r"(?:^| )(trace|trace_only|trace_skip|trace_phase|trace_ranks|trace_longer)=")
_MODULES = ("posix", "stdio", "mpi", "mpiio", "hdf5", "pnetcdf", "forward")
_ANYWHERE = ("paused", "phase", "rank")  # whatever the function


def left_out(accounts: dict[str, int]) -> list[str]:
    """ "3 calls and regions shorter than asked for", one a reason."""
    rows = [(accounts.get(what, 0), *words) for what, words in LEFT_OUT.items()]
    return [f"{number:,} {one if number == 1 else many} {why}" for number, one, many, why in rows if number]


def unexplained(missing: dict[tuple[str, str], int], accounts: dict[str, int], wish: str | None) -> int:
    """Of calls by layer and function: how many no account explains that concerns them. `wish`: `filter`."""
    chosen = _Choice(wish or "")
    sums = {"module": 0, "name": 0, "other": 0}
    for (layer, name), calls in missing.items():
        sums[chosen.why_not(layer, name)] += calls
    own = {"module": ("module",), "name": ("name",), "other": ("short", "jumped")}
    over = sum(max(0, sums[each] - _sum(accounts, own[each])) for each in sums)
    return max(0, over - _sum(accounts, _ANYWHERE))


def _sum(accounts: dict[str, int], what: Iterable[str]) -> int:
    return sum(accounts.get(each, 0) for each in what)


class _Choice:
    """The settings trace, trace_only and trace_skip, as the trace tells them."""

    def __init__(self, wish: str) -> None:
        parts = _KEYS.split(wish)
        settings: dict[str, Any] = dict(zip(parts[1::2], parts[2::2], strict=False))
        self._modules = settings.get("trace", "all")
        self._only = _patterns(settings.get("trace_only"))
        self._skip = _patterns(settings.get("trace_skip"))

    def why_not(self, layer: str, name: str) -> str:
        if not records(self._modules, layer if layer in _MODULES else "mpi"):
            return "module"
        wanted = self._only is None or self._only.fullmatch(name)
        skipped = self._skip is not None and self._skip.fullmatch(name)
        return "other" if wanted and not skipped else "name"


def _patterns(words: str | None) -> re.Pattern[str] | None:
    """Of which any matches; * is any text and ? any one byte."""
    if not words:
        return None
    texts = (re.escape(word).replace(r"\*", ".*").replace(r"\?", ".") for word in words.split(","))
    return re.compile("|".join(texts), re.DOTALL)
