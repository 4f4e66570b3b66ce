// The memory of zeros that a process touches when it starts. Nearly all of it is written before the program's main, so
// that it is asked for at once: page by page it would take as many faults, which cost more than all else that is done.
//
// Arrays that few processes use are HEADRACE_LARGE, and lie behind it.
#pragma once

namespace headrace::capture {

/// Called first, by the library's constructor.
void take_start_pages();

}  // namespace headrace::capture
