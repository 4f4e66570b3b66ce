"""Phases: names for parts of a run, so that what a program reads and writes there is counted by itself.

    with headrace.phase("dump"):
        write_dump()

    @headrace.phase("checkpoint")
    def write_checkpoint(): ...

A phase also ends by exceptions, which pass through. Where the program is not traced, nothing happens, and
that takes a fraction of a microsecond; decorated functions are then returned as they are. See docs/phases.md.

This file needs nothing of the package: a simulation may bring a copy of it and `from phases import phase`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import takes longer than this file's
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["phase"]

_absent = False
_begin: Callable[[bytes], object]
_end: Callable[[bytes], object]

_COROUTINE, _GENERATORS = 0x80, 0x20 | 0x200  # co_flags, as in inspect


def phase(name: str) -> _Phase | _Nothing:
    """A phase, for a with-statement or as a decorator. One object may be entered often, also inside itself.

    `name`: 255 bytes of its UTF-8 are kept. Phases nest by thread ("dump/write"), and count what all threads
    of the process do in the meantime. An `async def` is in its phase until it is done, also while it waits:
    tasks that take turns in one thread while both are in phases end each other's. Decorating a generator
    raises a TypeError: it runs in pieces, so put the with-statement inside of it.
    """
    if _absent:
        return _nothing
    return _look_for(name)


class _Phase:
    """Calls the tracer."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        # What a name is must not decide whether a program fails under the tracer alone.
        self._name = str(name).encode("utf-8", "replace")

    def __enter__(self) -> None:
        _begin(self._name)

    def __exit__(self, *raised: object) -> None:
        _end(self._name)

    def __call__(self, function: Function) -> Function:
        within: Function = _inside(self, _plain(function))
        return within


class _Nothing:
    """Does nothing, soon: its methods are functions in C that take what a with-statement gives them."""

    __slots__ = ()
    __enter__: Callable[[], None] = {}.clear
    __exit__: Callable[[object, object, object], str] = "".format  # "" is false: exceptions pass

    def __call__(self, function: Function) -> Function:
        return _plain(function)


_nothing = _Nothing()


def _look_for(name: str) -> _Phase | _Nothing:
    """Finds the tracer among what is loaded into the process, once."""
    global _absent, _begin, _end
    if "_begin" not in globals():
        try:
            import ctypes

            # With the interpreter's lock held, as these calls are shorter than letting it go and taking it.
            loaded = ctypes.PyDLL(None)
            begin, end = loaded.headrace_phase_begin, loaded.headrace_phase_end
        except (ImportError, OSError, AttributeError):
            _absent = True
            return _nothing
        for each in (begin, end):
            each.argtypes, each.restype = [ctypes.c_char_p], None
        _end, _begin = end, begin
    return _Phase(name)


def _plain(function: Function) -> Function:
    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & _GENERATORS:
        raise TypeError(
            f"{function.__qualname__} is a generator, which runs in pieces: use a with-statement inside of it"
        )
    return function


def _inside(within: _Phase, function: Any) -> Any:
    import functools

    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & _COROUTINE:

        @functools.wraps(function)
        async def wait(*arguments: Any, **named: Any) -> Any:
            with within:
                return await function(*arguments, **named)

        return wait

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        with within:
            return function(*arguments, **named)

    return call
