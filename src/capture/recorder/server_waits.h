// What calls waited for at forwarding servers: rows of intercept/forward.def, inside of the calls that needed them.
#pragma once
#include "capture/recorder/library.h"

namespace headrace::capture {

/// A server has answered. `whole`: the first of the three rows of its kind. `time`: from the request to the answer, in
/// ticks; of it `waited` in the server's queue, and then `worked`. What is under way at the same time is counted once:
/// a thread's waits begin when the one before has ended. Any thread, not in a section.
void server_answered(LibraryFn whole, bool ok, uint64_t bytes, Timed time, uint64_t waited, uint64_t worked);

}  // namespace headrace::capture
