// Lines of Python in the spool: each text and each line once.
#pragma once
#include "capture/recorder/python_frames.h"

namespace headrace::capture {

/// The place's PythonFrame in the spool; 0: it is not there. Places are marked.
uint32_t known_python_frame(const Python& python, const PythonPlace& place, ReadablePages& memory);
/// The same; 0: there is no room for it. Lock held, inside a section.
uint32_t add_python_frame(const Python& python, const PythonPlace& place, ReadablePages& memory);
/// Forgets all of them (a new spool).
void reset_python_frames();

}  // namespace headrace::capture
