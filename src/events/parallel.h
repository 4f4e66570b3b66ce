#pragma once
// Work of several threads at once. Internal to events.

#include <functional>

namespace headrace::events {

/// As many as there are processors, at most 4: what a reader of files makes use of.
unsigned usual_threads();

/// Calls `work` in so many threads, of which one is the caller's, and waits for all. Where the system gives fewer
/// threads, fewer call it: each takes from what is left until nothing is.
void in_parallel(unsigned threads, const std::function<void()>& work);

}  // namespace headrace::events
