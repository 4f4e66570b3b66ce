// Calls on rings, of liburing and by number: what is done around each.
#pragma once
#include <errno.h>
#include <string.h>

#include "capture/recorder/ring_layout.h"
#include "capture/recorder/rings.h"

namespace headrace::capture {

/// How a call tells its error: liburing's by its result, the C library's by errno.
struct ByResult {
  static int of(long result) { return result < 0 ? static_cast<int>(-result) : 0; }
};
struct ByErrno {
  static int of(long result) { return result < 0 ? errno : 0; }
};

/// The descriptor of a struct io_uring.
inline int ring_of(const void* ring) {
  int fd;
  memcpy(&fd, static_cast<const char*>(ring) + uring::kLiburingDescriptor, sizeof fd);
  return fd;
}
/// The descriptor that io_uring_enter and io_uring_register are given; −1: another number.
inline int entered(unsigned ring, unsigned flags) {
  return flags & uring::kRegisteredRing ? -1 : static_cast<int>(ring);
}

/// Makes the call, and `after(result, error, time)` unless another call of such a library does that.
template <class Error, typename Call, typename After>
auto around(Fn function, Call call, After after) {
  Outermost outermost(&asynchronous_call);
  if (!outermost || in_vfork_child()) return call();
  Timed time;
  auto result = timed(function, OnNothing(), time, call);
  after(result, Error::of(result), time);
  return result;
}
template <class Error = ByResult, typename Call>
auto call_of_library(Fn function, Call call) {
  return around<Error>(function, call, [&](auto, int error, Timed time) { plain_call(function, error == 0, time); });
}

template <class Error = ByResult, typename Call>
auto use_ring(Fn function, int fd, Call call) {
  if (asynchronous_call == 0 && is_ring(fd)) {
    const uint64_t now = base::ticks();
    look_at_ring(fd, now, now);
  }
  return around<Error>(function, call, [&](auto, int error, Timed time) { ring_used(function, fd, error, time); });
}
template <class Error = ByResult, typename Call>
auto set_up_ring(Fn function, const void* parameters, Call call) {
  return around<Error>(function, call, [&](auto result, int error, Timed time) {
    if (error == 0) ring_made(static_cast<int>(result), parameters);
    plain_call(function, error == 0, time);
  });
}
template <typename Call>
int init_ring(Fn function, const void* ring, const void* parameters, Call call) {
  return around<ByResult>(function, call, [&](int, int error, Timed time) {
    if (error == 0) ring_made(ring_of(ring), parameters);
    plain_call(function, error == 0, time);
  });
}
/// The program made the ring where that was perhaps not seen.
template <typename Call>
int map_ring(Fn function, int fd, const void* parameters, Call call) {
  return around<ByResult>(function, call, [&](int, int error, Timed time) {
    if (error == 0 && !is_ring(fd)) ring_made(fd, parameters);
    plain_call(function, error == 0, time);
  });
}
template <typename Call>
int end_ring(Fn function, int fd, Call call) {
  ring_ends(fd);
  return call_of_library(function, call);
}
/// The ring goes on in a way that cannot be followed.
template <typename Call>
int drop_ring(Fn function, int fd, Call call) {
  ring_ends(fd, true);
  return call_of_library(function, call);
}
/// Without files: a whole new table, or none if `count` is 0.
template <typename Call>
int register_files(Fn function, int fd, const int* files, bool whole, unsigned first, unsigned count, Call call) {
  return around<ByResult>(function, call, [&](int, int error, Timed time) {
    if (error == 0) ring_files(fd, files, first, count, whole);
    plain_call(function, error == 0, time);
  });
}
template <class Error = ByResult, typename Call>
auto register_anything(Fn function, int fd, unsigned operation, const void* argument, unsigned count, Call call) {
  return around<Error>(function, call, [&](auto, int error, Timed time) {
    if (error == 0) ring_registered(fd, operation, argument, count);
    plain_call(function, error == 0, time);
  });
}

}  // namespace headrace::capture
