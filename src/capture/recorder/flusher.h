// Starts the process that stores events, and waits for it.
//
// The program sees nothing of it: no signal at its end, and no wait() of the program finds it, since a process stands
// in between that shares this one's memory, as of vfork, and whose end signals nothing. The flusher has none of the
// program's descriptors, none of its environment, and all signals blocked. Only calls of the kernel are made, and
// nothing is allocated.
#pragma once
#include <cstdint>

namespace headrace::capture {

enum class FlusherEnd { kDone, kNotStarted, kFailed, kTooLate };

/// Runs `program` on a file of events; `done` becomes `wanted` in it when all is stored. Not for two threads at a time;
/// signals blocked. At most `patience_ns` long: then the flusher is killed.
FlusherEnd run_flusher(const char* program, const char* events, const uint64_t* done, uint64_t wanted,
                       uint64_t patience_ns);

}  // namespace headrace::capture
