"""libheadrace-client.so, whose functions include/headrace/forward.h describes."""

from __future__ import annotations

from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_int,
    c_int64,
    c_size_t,
    c_ssize_t,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

from headrace._errors import ForwardError
from headrace._places import library as library_path


class Attributes(Structure):
    _fields_ = (
        [(name, c_uint64) for name in ("inode", "size", "blocks")]
        + [(name, c_uint32) for name in ("mode", "links", "user", "group", "block_size")]
        + [(name, c_int64) for name in ("accessed", "modified", "changed", "born")]
    )


class Extent(Structure):
    _fields_ = [("offset", c_uint64), ("length", c_uint64)]


class Bad(Structure):
    _fields_ = [("offset", c_uint64), ("length", c_uint64), ("error", c_int)]


class Part(Structure):
    _fields_ = [("memory", c_void_p), ("size", c_size_t)]


Each = CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64, c_uint)

_OBJECT = c_void_p
_OUT = POINTER(c_void_p)
_LIST = [POINTER(Part), c_size_t, POINTER(Extent), c_size_t]
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "connect": (c_int, [c_char_p, c_char_p, c_uint32, _OUT]),
    "message": (c_char_p, []),
    "disconnect": (None, [_OBJECT]),
    "open": (c_int, [_OBJECT, c_char_p, c_int, c_uint, _OUT]),
    "close": (c_int, [_OBJECT]),
    "stat": (c_int, [_OBJECT, c_char_p, c_int, POINTER(Attributes)]),
    "fstat": (c_int, [_OBJECT, POINTER(Attributes)]),
    "set": (c_int, [_OBJECT, c_uint32, POINTER(Attributes)]),
    "truncate": (c_int, [_OBJECT, c_uint64]),
    "remove": (c_int, [_OBJECT, c_char_p]),
    "rmdir": (c_int, [_OBJECT, c_char_p]),
    "mkdir": (c_int, [_OBJECT, c_char_p, c_uint]),
    "rename": (c_int, [_OBJECT, c_char_p, c_char_p, c_int]),
    "link": (c_int, [_OBJECT, c_char_p, c_char_p]),
    "symlink": (c_int, [_OBJECT, c_char_p, c_char_p]),
    "readlink": (c_ssize_t, [_OBJECT, c_char_p, c_char_p, c_size_t]),
    "list": (c_int, [_OBJECT, c_char_p, Each, c_void_p]),
    "submit_read": (c_int, [_OBJECT, *_LIST, POINTER(c_uint64), c_void_p, _OUT]),
    "submit_write": (c_int, [_OBJECT, *_LIST, c_uint32, c_void_p, _OUT]),
    "submit_append": (c_int, [_OBJECT, POINTER(Part), c_size_t, c_uint32, c_void_p, _OUT]),
    "submit_commit": (c_int, [_OBJECT, c_uint64, c_uint64, c_uint32, c_void_p, _OUT]),
    "wait": (c_int64, [_OBJECT]),
    "test": (c_int, [_OBJECT]),
    "bad_ranges": (c_size_t, [_OBJECT, POINTER(Bad), c_size_t]),
    "free": (None, [_OBJECT]),
    "descriptor": (c_int, [_OBJECT]),
    "next": (c_void_p, [_OBJECT]),
}
_loaded: dict[str, Any] = {}


def functions() -> dict[str, Any]:
    """By name, without "headrace_forward_". Raises a ForwardError where the library is not installed."""
    if not _loaded:
        try:
            library = CDLL(str(library_path("libheadrace-client.so")))
        except OSError as error:
            raise ForwardError(f"{error}; reinstall Headrace") from error
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, f"headrace_forward_{name}")
            function.restype, function.argtypes = result, arguments
            _loaded[name] = function
    return _loaded
