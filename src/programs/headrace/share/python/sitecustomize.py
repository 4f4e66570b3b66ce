"""Has functions of a traced Python program recorded as regions (headrace run --trace --trace-python LIST).

The launcher puts this file's folder first on PYTHONPATH, so that every interpreter of CPython imports it at
its start, in place of the site's own `sitecustomize`, which is imported afterwards. It is for any CPython
from 3.10 on and imports nothing of Headrace. Each event of a function goes straight from the interpreter to
the recorder, in C; Python code runs once for each function alone, to say what it is called.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_NOT_CHOSEN = 0xFFFFFFFF


def _is_own(path):
    return not (path.startswith(("<frozen", _LIBRARY)) or any(each in path for each in _INSTALLED))


def _chooser(chosen):
    """Whether a function is recorded, by its module and file: "own" are all but installed ones."""
    names = tuple(name for name in chosen.split(",") if name)
    if "all" in names:
        return lambda module, path: not path.startswith("<frozen importlib")
    within = tuple(name + "." for name in names)
    own = "own" in names
    return lambda module, path: (own and _is_own(path)) or module in names or module.startswith(within)


def _describer(ctypes, number, chosen):
    """What the recorder asks once for each function: its number, by the name that it has in the trace."""
    is_chosen = _chooser(chosen)

    def describe(frame):
        try:
            code = frame.f_code
            module = str(frame.f_globals.get("__name__", "?"))
            if not is_chosen(module, code.co_filename):
                return _NOT_CHOSEN
            name = getattr(code, "co_qualname", code.co_name)
            return number(f"{module}.{name}".encode("utf-8", "replace")) or _NOT_CHOSEN
        except Exception:  # a module may have anything in its place; the program goes on as it does alone
            return _NOT_CHOSEN

    return ctypes.PYFUNCTYPE(ctypes.c_uint32, ctypes.py_object)(describe)


def _start(chosen):
    import ctypes
    import threading

    class Recorder(ctypes.Structure):  # PythonRecorder of src/programs/preload/python_functions.cc
        _fields_ = (
            ("number", ctypes.PYFUNCTYPE(ctypes.c_uint32, ctypes.c_char_p)),
            ("start", ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 5, ctypes.c_ssize_t)),
            ("event", ctypes.c_void_p),
        )

    find = ctypes.PyDLL(None).headrace_python_recorder
    find.argtypes, find.restype = [], ctypes.POINTER(Recorder)
    found = find()
    if not found:
        return
    recorder, api = found.contents, ctypes.pythonapi
    newer = hasattr(api, "PyUnstable_Code_GetExtra")  # the same functions, renamed in 3.12
    prefix = "PyUnstable_Code_" if newer else "_PyCode_"
    request = api.PyUnstable_Eval_RequestCodeExtraIndex if newer else api._PyEval_RequestCodeExtraIndex
    request.argtypes, request.restype = [ctypes.c_void_p], ctypes.c_ssize_t
    describe = _describer(ctypes, recorder.number, chosen)
    calls = (
        api.PyFrame_GetCode,
        api.Py_DecRef,
        getattr(api, prefix + "GetExtra"),
        getattr(api, prefix + "SetExtra"),
    )
    addresses = [ctypes.cast(call, ctypes.c_void_p) for call in (*calls, describe)]
    if not recorder.start(*addresses, request(None)):
        return  # another interpreter of this process has begun
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(describe))  # it is called to the very end
    profile = api.PyEval_SetProfile
    profile.argtypes, profile.restype = [ctypes.c_void_p, ctypes.c_void_p], None
    event = recorder.event

    def begin(*_):  # the first event of a new thread
        profile(event, None)

    threading.setprofile(begin)
    profile(event, None)


def _main():
    sys.path[:] = [each for each in sys.path if os.path.abspath(each) != _HERE]
    chosen = os.environ.get("HEADRACE_TRACE_PYTHON", "")
    try:
        if chosen and sys.implementation.name == "cpython":
            _start(chosen)
    except (ImportError, OSError, AttributeError):
        pass  # no ctypes, or no recorder in this process
    # The site's own. If there is none, the ImportError says so: Python then goes on as without this file.
    del sys.modules["sitecustomize"]
    import sitecustomize  # noqa: F401


_main()
