"""Regions and counters of a program in its event trace (headrace run --trace).

    with headrace.region("solve"):
        solve()
    headrace.counter("residual", residual)

    @headrace.region("exchange")
    def exchange(): ...

A region also ends by exceptions, which pass through. Where no events are recorded, nothing happens, and
that takes a fraction of a microsecond; decorated functions are then returned as they are. What holds for
include/headrace/trace.h holds here; see docs/regions.md.

This file needs nothing of the package: a simulation may bring a copy of it and `from regions import region`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import takes longer than this file's
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["counter", "region", "trace_pause", "trace_resume"]

_COROUTINE, _GENERATORS = 0x80, 0x20 | 0x200  # co_flags, as in inspect

_NO_NUMBER = 0xFFFFFFFF  # as the number of a counter: its value is none

_looked = False
_calls: Any = None  # of the recorder; None: no events are recorded
_regions: dict[str, int] = {}
_counters: dict[str, int] = {}


def region(name: str) -> _Region | _Nothing:
    """A region, for a with-statement or as a decorator. One object may be entered often, also inside itself.

    An `async def` is in its region until it is done, also while it waits: tasks that take turns in one thread
    while both are in regions end each other's. Decorating a generator raises a TypeError: it runs in pieces,
    so put the with-statement inside of it.
    """
    calls = _calls if _looked else _look()
    if calls is None:
        return _nothing
    return _Region(calls, _number(_regions, calls.region, name))


def counter(name: str, value: float) -> None:
    """Says that the counter `name` has this value from now on, in this thread.

    What is no number is left out, and the trace says how often that was.
    """
    calls = _calls if _looked else _look()
    if calls is None:
        return
    try:
        number = float(value)
    except Exception:  # whatever it is, the program runs on as it does without a trace
        calls.count(_NO_NUMBER, 0.0)
    else:
        calls.count(_number(_counters, calls.counter, name), number)


def trace_pause() -> None:
    """From here on no thread of this process has its calls and regions in the trace.

    What is left out is counted, in the trace; the job log still has it.
    """
    calls = _calls if _looked else _look()
    if calls is not None:
        calls.record(0)


def trace_resume() -> None:
    """From here on they are in the trace again, however often recording was switched off."""
    calls = _calls if _looked else _look()
    if calls is not None:
        calls.record(1)


class _Region:
    """Calls the recorder."""

    __slots__ = ("_enter", "_leave", "_number")

    def __init__(self, calls: Any, number: int) -> None:
        self._enter, self._leave, self._number = calls.enter, calls.leave, number

    def __enter__(self) -> None:
        self._enter(self._number)

    def __exit__(self, *raised: object) -> None:
        if self._number:  # 0 would be the innermost
            self._leave(self._number)

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


def _look() -> Any:
    """Finds the recorder among what is loaded into the process, once."""
    global _looked, _calls
    try:
        import ctypes

        # With the interpreter's lock held, as these calls are shorter than letting it go and taking it.
        find = ctypes.PyDLL(None).headrace_trace_recorder
        number = ctypes.PYFUNCTYPE(ctypes.c_uint32, ctypes.c_char_p)
        of_number = ctypes.PYFUNCTYPE(None, ctypes.c_uint32)

        class Calls(ctypes.Structure):  # headrace_trace_calls of include/headrace/trace.h
            _fields_ = (
                ("size", ctypes.c_size_t),
                ("region", number),
                ("enter", of_number),
                ("leave", of_number),
                ("counter", number),
                ("count", ctypes.PYFUNCTYPE(None, ctypes.c_uint32, ctypes.c_double)),
                ("record", ctypes.PYFUNCTYPE(None, ctypes.c_int)),
            )

        find.argtypes, find.restype = [], ctypes.POINTER(Calls)
        found = find()
        if found and found.contents.size >= ctypes.sizeof(Calls):
            _calls = _Calls(found.contents)
    except (ImportError, OSError, AttributeError):
        pass
    _looked = True
    return _calls


class _Calls:
    """The recorder's calls as objects that stay; each look at a structure's field makes a new one."""

    __slots__ = ("count", "counter", "enter", "leave", "record", "region")

    def __init__(self, found: Any) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(found, name))


def _number(known: dict[str, int], look_up: Any, name: str) -> int:
    # What a name is must not decide whether a program fails under the recorder alone.
    number = known.get(name) if isinstance(name, str) else None
    if number is None:
        number = look_up(str(name).encode("utf-8", "replace"))
        if number and len(known) < 65536:
            known[str(name)] = number
    return int(number)


def _plain(function: Function) -> Function:
    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & _GENERATORS:
        raise TypeError(
            f"{function.__qualname__} is a generator, which runs in pieces: use a with-statement inside of it"
        )
    return function


def _inside(within: _Region, function: Any) -> Any:
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
