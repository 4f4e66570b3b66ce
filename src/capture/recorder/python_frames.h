// The Python frames of a thread, innermost first, from its thread state in memory: the interpreter's own functions for
// that need its lock, which a program has given back while it waits for I/O.
#pragma once
#include "capture/recorder/python_objects.h"
#include "capture/spool_layout.h"

namespace headrace::capture {

struct PythonStack {
  uint32_t count = 0;  // of the innermost kPythonFrames; 0 also where something was not as expected
  PythonPlace place[kPythonFrames];
};
void read_python_stack(const Python& python, uintptr_t thread_state, ReadablePages& memory, PythonStack* out);

/// Gives each place a number by which it is known again, and returns that of all. It stands for addresses of objects
/// and the text of the file: that memory of a code object was given to another one of the same file, name, first line
/// and table of lines, each at the same address, does not show.
uint64_t mark_places(const Python& python, PythonStack& stack, ReadablePages& memory);

/// What a frame is shown as.
struct PythonFrameText {
  PythonText file, function;
  uint32_t line;
};
PythonFrameText describe(const Python& python, const PythonPlace& place, ReadablePages& memory);

}  // namespace headrace::capture
