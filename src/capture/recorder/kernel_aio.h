// The kernel's aio, which libaio and syscall() reach: requests are noted when they are submitted, and counted when
// their results are fetched. Thread-safe; keeps errno.
#pragma once
#include "capture/recorder/ring_calls.h"

namespace headrace::capture {

/// Requests are about to be submitted to a context; those from number `accepted` on were not.
void note_requests(uintptr_t context, long count, const void* requests, uint64_t start);
void withdraw_requests(long accepted, long count, const void* requests);
/// `count` results were fetched.
void count_events(uintptr_t context, long count, const void* events, uint64_t now);
/// What a context has under way is lost; 0: of all contexts.
HEADRACE_COLD void lose_requests(uintptr_t context);

template <class Error = ByResult, typename Call>
auto submit_requests(Fn function, uintptr_t context, long count, const void* requests, Call call) {
  const bool outermost = asynchronous_call == 0 && !in_vfork_child();
  if (outermost) note_requests(context, count, requests, passes_by() ? 0 : base::ticks());
  return around<Error>(function, call, [&](auto result, int error, Timed time) {
    if (outermost) withdraw_requests(result > 0 ? result : 0, count, requests);
    plain_call(function, error == 0 || error == EAGAIN, time);
  });
}
template <class Error = ByResult, typename Call>
auto get_events(Fn function, uintptr_t context, const void* events, Call call) {
  return around<Error>(function, call, [&](auto result, int error, Timed time) {
    if (result > 0) count_events(context, result, events, time.recorded() ? time.end : base::ticks());
    plain_call(function, error == 0 || error == EINTR, time);
  });
}
template <class Error = ByResult, typename Call>
auto destroy_context(Fn function, uintptr_t context, Call call) {
  return around<Error>(function, call, [&](auto, int error, Timed time) {
    if (error == 0) lose_requests(context);
    plain_call(function, error == 0, time);
  });
}

}  // namespace headrace::capture
