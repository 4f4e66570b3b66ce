"""Has functions of a traced Python program recorded as regions (headrace run --trace --trace-python LIST).

The launcher puts this file's folder first on PYTHONPATH, so that every interpreter of CPython imports it at
its start, in place of the site's own `sitecustomize`, which is imported afterwards. It is for any CPython
from 3.10 on and imports nothing of Headrace. Events go from the interpreter to the recorder, which is in C;
no code of Python runs for them.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _functions(ctypes):
    """What the recorder calls, in its order (Interpreter of src/programs/preload/python_functions.cc)."""
    api = ctypes.pythonapi
    extra = "PyUnstable_Code_" if hasattr(api, "PyUnstable_Code_GetExtra") else "_PyCode_"  # until 3.11
    names = ("PyFrame_GetCode", "Py_DecRef", extra + "GetExtra", extra + "SetExtra", "PyObject_GetAttrString")
    names += ("PyDict_GetItemString", "PyUnicode_AsUTF8", "PyErr_Clear")
    return [ctypes.cast(getattr(api, name), ctypes.c_void_p) for name in names]


def _prepare(chosen):
    """What makes the calling thread record its functions; None where nothing is recorded."""
    import ctypes
    import threading

    class Recorder(ctypes.Structure):
        _fields_ = (
            (
                "start",
                ctypes.PYFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p, ctypes.c_ssize_t), *[ctypes.c_char_p] * 2),
            ),
            ("event", ctypes.c_void_p),
        )

    find = ctypes.PyDLL(None).headrace_python_recorder
    find.argtypes, find.restype = [], ctypes.POINTER(Recorder)
    found = find()
    if not found:
        return None
    recorder, api = found.contents, ctypes.pythonapi
    newer = hasattr(api, "PyUnstable_Eval_RequestCodeExtraIndex")
    request = api.PyUnstable_Eval_RequestCodeExtraIndex if newer else api._PyEval_RequestCodeExtraIndex
    request.argtypes, request.restype = [ctypes.c_void_p], ctypes.c_ssize_t
    functions = _functions(ctypes)
    table = (ctypes.c_void_p * len(functions))(*[each.value for each in functions])
    library = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
    if not recorder.start(ctypes.addressof(table), request(None), os.fsencode(chosen), os.fsencode(library)):
        return None  # another interpreter of this process has begun
    profile, event = api.PyEval_SetProfile, recorder.event
    profile.argtypes, profile.restype = [ctypes.c_void_p, ctypes.c_void_p], None

    def begin(*_):  # the first event of a new thread
        profile(event, None)

    threading.setprofile(begin)
    return begin


def _give_way(before):
    """The program may have modules of the same names as those that were imported here: it gets its own."""
    script = sys.argv[0] if getattr(sys, "argv", None) else ""
    folder = os.getcwd() if script in ("", "-c", "-m") else os.path.dirname(os.path.realpath(script))
    found = {each.split(".")[0] for each in os.listdir(folder or os.curdir)}
    for name in set(sys.modules) - before:
        if name.split(".")[0] in found:
            del sys.modules[name]


def _main():
    before = set(sys.modules)
    try:
        sys.path[:] = [each for each in sys.path if os.path.abspath(each) != _HERE]
        chosen = os.environ.get("HEADRACE_TRACE_PYTHON", "")
        if chosen and sys.implementation.name == "cpython":
            begin = _prepare(chosen)
            _give_way(before)
            if begin:
                begin()
    except Exception:
        pass  # no ctypes, no recorder, no directory: the program runs on as it does alone
    # The site's own. If there is none, the ImportError says so: Python then goes on as without this file.
    del sys.modules["sitecustomize"]
    import sitecustomize  # noqa: F401


_main()
