// The calls of libraries that a thread is inside of, where a trace is wanted. Such a call is recorded when it is over;
// when what it did so far has to be stored before, the trace must be told that it began (flush.h).
#pragma once
#include "capture/recorder/calls.h"
#include "intercept/library_functions.h"
#include "model/event.h"

namespace headrace::capture {

/// A call begins. `frame`: a place on the stack of who made it.
HEADRACE_COLD void library_call_begins(intercept::LibraryFn function, uint64_t start, uintptr_t frame);
/// What a trace has of a call besides what is counted of it: of one on a file, and of one that reaches into the memory
/// of another rank.
struct OnFile {
  uint32_t handle = 0;                    // of the file, or the rank plus 1; 0: not known
  uint64_t place = model::kUnknownPlace;  // in the file
  uint64_t asked = 0;                     // bytes; less than what was moved: as much
};
/// It is over, which becomes an event. Inside a section.
HEADRACE_COLD void record_library_call(intercept::LibraryFn function, Timed time, bool ok, uint64_t bytes,
                                       const OnFile& on);

struct FlushHeader;
/// Lists what is open in all threads and has not been told; it is told now. The world is stopped.
void list_open_calls(FlushHeader* to);

/// As timed(), of a library's call.
template <typename Call>
HEADRACE_INLINE auto timed_library(intercept::LibraryFn function, Timed& time, Call call) {
  return timed(time, [&] {
    if (HEADRACE_UNLIKELY(state.tracing))
      library_call_begins(function, time.start, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
    return call();
  });
}

}  // namespace headrace::capture
