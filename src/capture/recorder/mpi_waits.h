// Calls that complete messages, in the wrappers: with the bytes of the receives that they completed.
//
// A status that the program does not want is our own where we need one; what the program sees stays as it is.
#pragma once
#include "capture/recorder/mpi_requests.h"

namespace headrace::capture::mpi {

/// One status. `which()`: the position of the one request that is complete; < 0: none is.
template <typename Call, typename Which>
int completes_one(LibraryFn function, int64_t count, const void* requests, void* status, Call call, Which which) {
  if (!follows_requests()) return counted(function, [&] { return call(status); });
  Outermost outermost(&frame);
  if (!outermost) return call(status);
  Completion completion(count, requests);
  OwnStatus own;
  void* seen = completion.status(status, &own);
  const uint64_t before = profiled_so_far();
  Timed time;
  const int result = timed_library(function, time, [&] { return call(seen); });
  const int saved = errno;
  uint64_t received = 0;
  if (result == 0)
    received = completion.one(completion.any() ? which() : -1, seen, time);
  else
    completion.failed(requests);
  library_call(function, result == 0, received, time, before, true);
  errno = saved;
  return result;
}

/// As many statuses as requests. `finish(completion, statuses, time)`, after a call that succeeded.
template <typename Call, typename Finish>
int completes_many(LibraryFn function, int64_t count, const void* requests, void* statuses, Call call, Finish finish) {
  if (!follows_requests()) return counted(function, [&] { return call(statuses); });
  Outermost outermost(&frame);
  if (!outermost) return call(statuses);
  Completion completion(count, requests);
  void* seen = completion.statuses(count, statuses);
  const uint64_t before = profiled_so_far();
  Timed time;
  const int result = timed_library(function, time, [&] { return call(seen); });
  const int saved = errno;
  uint64_t received = 0;
  if (result == 0 && completion.any())
    received = finish(completion, seen, time);
  else
    completion.failed(requests);
  library_call(function, result == 0, received, time, before, true);
  errno = saved;
  return result;
}

/// A call that receives. `finish(status, worked, time)`: what a trace has of it; not called while nothing is traced.
/// `bytes(status)`: for its profile.
template <typename Call, typename Bytes, typename Finish>
int receives(const Library& m, LibraryFn function, void* status, Call call, Bytes bytes, Finish finish) {
  Outermost outermost(&frame);
  if (!outermost) return call(status);
  OwnStatus own = {};
  void* seen = m.known && status == m.status_ignore ? &own : status;
  const uint64_t before = profiled_so_far();
  Timed time;
  const int result = timed_library(function, time, [&] { return call(seen); });
  const int saved = errno;
  const uint64_t moved = result == 0 ? bytes(seen) : 0;
  if (follows_messages()) finish(seen, result == 0, time);
  library_call(function, result == 0, moved, time, before, true);
  errno = saved;
  return result;
}

}  // namespace headrace::capture::mpi
