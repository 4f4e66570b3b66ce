// The CPython of this process, if there is one: found among the objects on stacks, by what it exports.
//
// Thread safety: offered under the spool's lock, asked for without. A process has one; a second one that is loaded
// beside it, which takes private copies of its library, is not seen.
#pragma once
#include "capture/recorder/loaded_objects.h"
#include "capture/recorder/python_frames.h"

namespace headrace::capture {

/// Looks whether this object, new on a stack, is an interpreter. Costs one look into a table of names if it is not.
/// Lock held.
void offer_interpreter(const LoadedObject& object);

/// Where an interpreter's own code lies.
struct InterpreterSpan {
  uintptr_t start, end;
};
/// {0, 0}: there is none that can be read.
InterpreterSpan interpreter_span();

/// Memory to read its objects in. `alive`: the interpreter is known to have called and cannot end meanwhile, so what
/// was readable when last looked at still is.
ReadablePages python_memory(bool alive);

/// The calling thread's Python frames. `out->count` 0: there are none, or they cannot be read. Returns the interpreter;
/// null: then, too. Async-signal-safe.
const Python* read_own_stack(bool main_thread, ReadablePages& memory, PythonStack* out);

}  // namespace headrace::capture
