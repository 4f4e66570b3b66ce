// The calls of libraries that a thread is inside of, where a trace is wanted. Such a call is recorded when it is over;
// when what it did so far has to be stored before, the trace must be told that it began (flush.h).
#pragma once
#include "capture/recorder/calls.h"
#include "intercept/library_functions.h"
#include "model/event.h"

namespace headrace::capture {

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

/// As timed(), of a library's call. Where events are recorded it stays the current one until it is recorded.
template <typename Call>
HEADRACE_INLINE auto timed_library(intercept::LibraryFn function, Timed& time, Call call) {
  InCall current;
  bool begun = false;
  auto result = timed(time, [&] {
    begun = time.recorded() && !in_vfork_child() && ready();
    if (HEADRACE_LIKELY(begun))
      begin_library(current, static_cast<uint16_t>(function), time.start, __builtin_frame_address(0));
    return call();
  });
  if (HEADRACE_UNLIKELY(!begun)) return result;
  if (HEADRACE_UNLIKELY(state.tracing))
    current.return_only();
  else
    end_call(current);
  return result;
}

}  // namespace headrace::capture
