// Functions of Python programs as regions, on request: what share/python/sitecustomize.py hands to the interpreter as
// its profile function. Only that file knows this ABI; both are of one installation.
//
// The number of a function's region is kept with its code object (co_extra of CPython: a pointer for each user, freed
// with the code), so an event is found without any table. All is called with the interpreter's lock held, but threads
// of interpreters without one (3.13t) may name a function twice at once: both get the same number.
#include <sys/types.h>

#include "capture/recorder/regions.h"

namespace {

using namespace headrace::capture;  // NOLINT

constexpr int kCall = 0, kReturn = 3;  // PyTrace_CALL and PyTrace_RETURN; generators have both each time they go on
constexpr uintptr_t kNotChosen = UINT32_MAX;

using GetCode = void* (*)(void* frame);
using DropReference = void (*)(void* object);
using GetExtra = int (*)(void* code, ssize_t index, void** extra);
using SetExtra = int (*)(void* code, ssize_t index, void* extra);
using Describe = uint32_t (*)(void* frame);

struct Interpreter {
  GetCode code_of;  // null: none has begun
  DropReference drop;
  GetExtra get;
  SetExtra set;
  Describe describe;
  ssize_t index;
};
constinit Interpreter interpreter{};

uint32_t number_of_function(const char* name) { return region_number(RegionKind::kPython, name); }

/// One interpreter of a process: indexes of co_extra are of each by itself.
int start(GetCode code_of, DropReference drop, GetExtra get, SetExtra set, Describe describe, ssize_t index) {
  if (interpreter.code_of || index < 0) return 0;
  interpreter = {code_of, drop, get, set, describe, index};
  return 1;
}

/// Py_tracefunc: never fails.
int event(void*, void* frame, int what, void*) {
  if (what != kCall && what != kReturn) return 0;
  void* code = interpreter.code_of(frame);
  void* extra = nullptr;
  if (interpreter.get(code, interpreter.index, &extra) == 0) {
    auto number = reinterpret_cast<uintptr_t>(extra);
    if (number == 0 && what == kCall) {
      number = interpreter.describe(frame);
      interpreter.set(code, interpreter.index, reinterpret_cast<void*>(number));
    }
    if (number != 0 && number != kNotChosen)
      what == kCall ? enter_region(static_cast<uint32_t>(number)) : leave_region(static_cast<uint32_t>(number));
  }
  interpreter.drop(code);
  return 0;
}

struct PythonRecorder {
  uint32_t (*number)(const char* name);
  int (*start)(GetCode, DropReference, GetExtra, SetExtra, Describe, ssize_t);
  int (*event)(void*, void*, int, void*);
};
constinit const PythonRecorder recorder = {number_of_function, start, event};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const void* headrace_python_recorder();

/// Null where events are not recorded, now or later.
const void* headrace_python_recorder() { return may_record_events() ? &recorder : nullptr; }

}  // extern "C"
