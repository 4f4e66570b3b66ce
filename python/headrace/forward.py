"""Files at forwarding servers, for programs that know about them.

    from headrace import forward

    with forward.connect("/scratch/run7@unix:/tmp/run7.sock") as servers:
        with servers.open("out", create=True) as file:
            where = file.append(b"a record")
            file.pwrite(array, 4096)
            file.commit()

What holds for include/headrace/forward.h holds here. Buffers are what shows its memory in one row: bytes,
memoryview, arrays of numpy. They are not copied, and kept until the call is done; other threads of Python run
meanwhile. What fails is an OSError with its number, so a missing file is a FileNotFoundError.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from ctypes import (
    Array,
    Structure,
    byref,
    c_char_p,
    c_int,
    c_ssize_t,
    c_void_p,
    create_string_buffer,
    py_object,
    pythonapi,
)
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace._errors import ForwardError, LostDataError
from headrace._forward_library import Attributes as _Attributes
from headrace._forward_library import Bad, Each, Extent, Part, functions

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]
    from typing import TypeAlias

    Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

__all__ = ["Attributes", "Entry", "File", "ForwardError", "LostDataError", "LostRange", "Request", "Servers"]
__all__ += ["connect"]

_THROUGH, _NO_SYNC = 1, 2
_MOST_RANGES = 65536


class Attributes(NamedTuple):
    """Times are nanoseconds since 1970, `born` is 0 where it is not known; blocks have 512 bytes."""

    inode: int
    size: int
    blocks: int
    mode: int
    links: int
    user: int
    group: int
    block_size: int
    accessed: int
    modified: int
    changed: int
    born: int


class Entry(NamedTuple):
    name: str
    inode: int
    type: int  # as DT_REG of dirent.h


class LostRange(NamedTuple):
    """A range of a file that is not stored, and the error number; length 0 is to the end."""

    offset: int
    length: int
    error: int


class _PyBuffer(Structure):
    """Py_buffer of Python's C interface."""

    _fields_ = [("memory", c_void_p), ("owner", py_object), ("size", c_ssize_t), ("item", c_ssize_t)]
    _fields_ += [("read_only", c_int), ("dimensions", c_int)]
    _fields_ += [(name, c_void_p) for name in ("format", "shape", "strides", "suboffsets", "internal")]


_get_buffer = pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [py_object, c_void_p, c_int]
_release_buffer = pythonapi.PyBuffer_Release
_release_buffer.argtypes = [c_void_p]


class _Memory:
    """Where the bytes of buffers are, until release()."""

    def __init__(self, buffers: Sequence[Any], writable: bool):
        self._views: list[_PyBuffer] = []
        self.parts = (Part * len(buffers))()
        try:
            for part, buffer in zip(self.parts, buffers, strict=True):
                view = _PyBuffer()
                _get_buffer(buffer, byref(view), 1 if writable else 0)  # raises what the buffer does
                self._views.append(view)
                part.memory, part.size = view.memory, view.size
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        while self._views:
            _release_buffer(byref(self._views.pop()))

    __del__ = release


def _check(result: int, path: Path | None = None) -> int:
    if result >= 0:
        return result
    if path is None:
        raise OSError(-result, os.strerror(-result))
    raise OSError(-result, os.strerror(-result), path)


class Request:
    """A transfer that is under way, or done. Its buffers are kept until it is freed, as its end does."""

    def __init__(self, memory: _Memory | None):
        self._pointer = c_void_p()
        self._memory = memory
        self._result: int | None = None
        self._lost: list[LostRange] = []

    def done(self) -> bool:
        """Whether it is done; takes what has arrived, and does not wait."""
        return self._result is not None or functions()["test"](self._pointer) == 1

    def wait(self) -> int:
        """Bytes, the offset of an append, or 0. Raises OSError, and LostDataError where ranges are lost."""
        self._finish()
        assert self._result is not None
        if self._result < 0 and self._lost:
            raise LostDataError(-self._result, os.strerror(-self._result), self._lost)
        return _check(self._result)

    def _finish(self) -> None:
        if self._result is not None:
            return
        calls = functions()
        self._result = calls["wait"](self._pointer)
        if self._result < 0:
            count = min(calls["bad_ranges"](self._pointer, None, 0), _MOST_RANGES)
            bad = (Bad * count)()
            calls["bad_ranges"](self._pointer, bad, count)
            self._lost = [LostRange(each.offset, each.length, each.error) for each in bad]
        calls["free"](self._pointer)
        if self._memory is not None:
            self._memory.release()

    def __del__(self) -> None:
        if self._pointer:
            self._finish()


class File:
    """An open file or directory; `with` closes it. From Servers.open()."""

    def __init__(self, servers: Servers, pointer: c_void_p):
        self._servers = servers
        self._pointer = pointer
        self._requests: weakref.WeakSet[Request] = weakref.WeakSet()

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Waits for its requests, stores what was written, as close(2) does, and raises what fails."""
        pointer, self._pointer = self._pointer, c_void_p()
        for request in list(self._requests):
            request._finish()
        if pointer:
            _check(functions()["close"](pointer))

    _finish = close

    def pread(self, size: int, offset: int) -> bytes:
        """At most `size` bytes, fewer where the file ends."""
        memory = bytearray(size)
        return bytes(memoryview(memory)[: self.preadinto(memory, offset)])

    def preadinto(self, buffer: Buffer, offset: int) -> int:
        """Fills the buffer; gives the number of bytes, fewer where the file ends."""
        return self.submit_read([buffer], [(offset, memoryview(buffer).nbytes)]).wait()

    def pwrite(self, buffer: Buffer, offset: int, *, through: bool = False) -> int:
        """Writes all of the buffer; `through`: returns when it is stored."""
        extent = (offset, memoryview(buffer).nbytes)
        return self.submit_write([buffer], [extent], through=through).wait()

    def append(self, buffer: Buffer, *, through: bool = False) -> int:
        """Puts the buffer at the end of the file, and gives the offset where it is."""
        return self.submit_append([buffer], through=through).wait()

    def commit(self, offset: int = 0, length: int = 0, *, sync: bool = True) -> None:
        """Returns when the range is stored; length 0: to the end. Without `sync` the file system has it,
        as after close. Raises LostDataError with the ranges that are not stored."""
        self.submit_commit(offset, length, sync=sync).wait()

    def truncate(self, size: int) -> None:
        _check(functions()["truncate"](self._open(), size))

    def stat(self) -> Attributes:
        found = _Attributes()
        _check(functions()["fstat"](self._open(), byref(found)))
        return _attributes(found)

    def set(self, **values: int | None) -> None:
        """Sets mode, user, group, accessed or modified; None as a time is now."""
        to = _Attributes()
        which = 0
        for name, value in values.items():
            which |= {"mode": 1, "user": 2, "group": 4, "accessed": 8, "modified": 16}[name]
            setattr(to, name, -(2**63) if value is None else value)
        _check(functions()["set"](self._open(), which, byref(to)))

    def submit_read(self, buffers: Sequence[Buffer], extents: Sequence[tuple[int, int]]) -> Request:
        """Bytes of the extents (offset, length), in their order, to the buffers: as many in all."""
        request = Request(_Memory(buffers, True))
        return self._submit("submit_read", request, _extents(extents), None)

    def submit_write(
        self, buffers: Sequence[Buffer], extents: Sequence[tuple[int, int]], *, through: bool = False
    ) -> Request:
        request = Request(_Memory(buffers, False))
        return self._submit("submit_write", request, _extents(extents), _THROUGH if through else 0)

    def submit_append(self, buffers: Sequence[Buffer], *, through: bool = False) -> Request:
        """The buffers lie in a row. wait() gives where."""
        return self._submit(
            "submit_append", Request(_Memory(buffers, False)), None, _THROUGH if through else 0
        )

    def submit_commit(self, offset: int = 0, length: int = 0, *, sync: bool = True) -> Request:
        request = Request(None)
        words = (offset, length, 0 if sync else _NO_SYNC, None, byref(request._pointer))
        _check(functions()["submit_commit"](self._open(), *words))
        self._note(request)
        return request

    def _submit(
        self, name: str, request: Request, extents: Array[Extent] | None, last: int | None
    ) -> Request:
        assert request._memory is not None
        parts = request._memory.parts
        words: list[Any] = [parts, len(parts)]
        if extents is not None:
            words += [extents, len(extents)]
        result = functions()[name](self._open(), *words, last, None, byref(request._pointer))
        if result < 0:
            request._memory.release()
        _check(result)
        self._note(request)
        return request

    def _note(self, request: Request) -> None:
        self._requests.add(request)
        self._servers._used.add(request)

    def _open(self) -> c_void_p:
        if not self._pointer:
            raise ValueError("the file is closed")
        return self._pointer


def _extents(extents: Sequence[tuple[int, int]]) -> Array[Extent]:
    if any(not 0 <= number < 2**63 for extent in extents for number in extent):
        raise ValueError("offsets and lengths are from 0 to 2**63 - 1")
    return (Extent * len(extents))(*(Extent(*extent) for extent in extents))


def _attributes(found: _Attributes) -> Attributes:
    return Attributes(*(getattr(found, name) for name in Attributes._fields))


class Servers:
    """A connection; `with` ends it. From connect()."""

    def __init__(self, pointer: c_void_p):
        self._pointer = pointer
        self._used: weakref.WeakSet[File | Request] = weakref.WeakSet()  # what must not outlive it

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Waits for its requests and closes its files; raises what is wrong with one of these."""
        pointer, self._pointer = self._pointer, c_void_p()
        failed: OSError | None = None
        for each in list(self._used):
            try:
                each._finish()
            except OSError as error:
                failed = error
        if pointer:
            functions()["disconnect"](pointer)
        if failed is not None:
            raise failed

    def open(
        self,
        path: Path,
        *,
        create: bool = False,
        exclusive: bool = False,
        truncate: bool = False,
        mode: int = 0o666,
    ) -> File:
        """`exclusive`: creates it, and fails where there is one."""
        flags = (os.O_CREAT if create or exclusive else 0) | (os.O_EXCL if exclusive else 0)
        flags |= os.O_TRUNC if truncate else 0
        pointer = c_void_p()
        self._call("open", path, flags, mode, byref(pointer))
        file = File(self, pointer)
        self._used.add(file)
        return file

    def stat(self, path: Path, *, follow: bool = True) -> Attributes:
        found = _Attributes()
        self._call("stat", path, int(follow), byref(found))
        return _attributes(found)

    def remove(self, path: Path) -> None:
        self._call("remove", path)

    def rmdir(self, path: Path) -> None:
        self._call("rmdir", path)

    def mkdir(self, path: Path, mode: int = 0o777) -> None:
        self._call("mkdir", path, mode)

    def rename(self, path: Path, to: Path, *, replace: bool = True) -> None:
        self._call("rename", path, os.fsencode(to), int(replace))

    def link(self, path: Path, to: Path) -> None:
        self._call("link", path, os.fsencode(to))

    def symlink(self, target: Path, path: Path) -> None:
        _check(functions()["symlink"](self._open(), os.fsencode(target), os.fsencode(path)), path)

    def readlink(self, path: Path) -> str:
        target = create_string_buffer(4096)
        size = self._call("readlink", path, target, len(target))
        return os.fsdecode(target.raw[:size])

    def list(self, path: Path = "") -> list[Entry]:
        """What is in a directory, but for "." and ".."."""
        found: list[Entry] = []

        def add(_: Any, name: bytes, inode: int, kind: int) -> int:
            found.append(Entry(os.fsdecode(name), inode, kind))
            return 0

        self._call("list", path, Each(add), None)
        return found

    def _call(self, name: str, path: Path, *words: Any) -> int:
        result: int = functions()[name](self._open(), c_char_p(os.fsencode(path)), *words)
        return _check(result, path)

    def _open(self) -> c_void_p:
        if not self._pointer:
            raise ValueError("the connection is closed")
        return self._pointer


def connect(spec: str | None = None, *, secret: Path | None = None, timeout: float = 120) -> Servers:
    """`spec`: [PREFIX=]DIRECTORY@ADDRESS[,ADDRESS...]; None: the servers of the `headrace run --forward` or
    `headrace forward up` that this program is under. `secret`: the file of it, for servers of other nodes.
    `timeout`: seconds of each call. Raises a ForwardError."""
    calls = functions()
    pointer = c_void_p()
    words = [None if each is None else os.fsencode(each) for each in (spec, secret)]
    if calls["connect"](*words, max(1, int(timeout * 1000)), byref(pointer)) != 0:
        raise ForwardError(os.fsdecode(calls["message"]()))
    return Servers(pointer)
