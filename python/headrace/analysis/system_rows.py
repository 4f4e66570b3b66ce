"""What the system was asked to do below the calls of libraries that a file is ranked by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace import _native

Facts = dict[str, Any]

# What rows of each key are told apart by.
_KEYS = {"path": ("path", "kind"), "process": ("process",), "directory": ("directory",)}


class SystemRows:
    """Rows of the system's layers merged by one of the keys above, found by rows of the topmost layers.

    How a file was read and written (sizes, order, alignment), its flags and names are known of the system's
    calls; of a file that only libraries have, they are those of the library.
    """

    def __init__(self, system: _native.Frame, by: str) -> None:
        self._frame, self._key = system, _KEYS[by]
        self._rows = self._by_key(system)

    def _by_key(self, frame: _native.Frame) -> dict[tuple[Any, ...], list[int]]:
        """Numbers of rows, in the log's order: several of a key where files had one path in turn."""
        found: dict[tuple[Any, ...], list[int]] = {}
        for number, row in enumerate(frame.rows(None, list(self._key))):
            found.setdefault(tuple(row[name] for name in self._key), []).append(number)
        return found

    def below(self, topmost: _native.Frame, numbers: list[int], columns: Sequence[str] = ()) -> list[Facts]:
        """For each of these rows of `topmost` that of the system, else itself."""
        places = self._places(topmost, numbers)
        here = iter(self._frame.rows([at for at in places if at is not None], columns))
        there = iter(topmost.rows([n for n, at in zip(numbers, places, strict=True) if at is None], columns))
        return [next(there) if at is None else next(here) for at in places]

    def records(self, topmost: _native.Frame, numbers: list[int]) -> list[list[int]]:
        """The records behind those rows."""
        places = self._places(topmost, numbers)
        return [
            topmost.records(number) if at is None else self._frame.records(at)
            for number, at in zip(numbers, places, strict=True)
        ]

    def _places(self, topmost: _native.Frame, numbers: list[int]) -> list[int | None]:
        rows = topmost.rows(numbers, list(self._key))
        found = [self._rows.get(tuple(row[name] for name in self._key), []) for row in rows]
        if all(len(places) < 2 for places in found):
            return [places[0] if places else None for places in found]
        turns = {number: turn for same in self._by_key(topmost).values() for turn, number in enumerate(same)}
        return [
            places[min(turns[number], len(places) - 1)] if places else None
            for places, number in zip(found, numbers, strict=True)
        ]
