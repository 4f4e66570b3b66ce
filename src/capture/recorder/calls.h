// Calls that are neither reads nor writes: opens, closes, and what is counted as metadata of a path or a descriptor.
#pragma once
#include "capture/recorder/current_call.h"
#include "capture/recorder/transfer.h"

namespace headrace::capture {

/// The time of a call that is over.
struct Timed {
  uint64_t start, end;  // 0: it was made while nothing is recorded (State::paused)
  bool recorded() const { return start != 0; }
  uint64_t spent() const { return end > start ? end - start : 0; }
};

/// Set while operations are counted that went on beside the thread's calls: their events have no length.
extern __thread bool counts_later __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// An open of `path` below `directory` succeeded with descriptor `fd`. `flags` as of open(2). Preserves errno.
void opened(Fn function, int fd, int directory, const char* path, int flags, uint32_t record_flags, Timed time);
/// An open failed: counted at the path's record, or at its directory's, which keeps a few such names. Reads errno.
void open_failed(Fn function, int directory, const char* path, Timed time);

/// A descriptor with this tag was closed (or the close failed after taking it). `counted_elsewhere`: ticks of the call
/// that another figure of the file has.
void closed(Fn function, uint64_t tag, Timed time, uint64_t counted_elsewhere = 0);
/// `target` now names the same description as `fd`.
void duplicated(Fn function, int fd, int target, Timed time);

/// The second path of a call that has two, which its event names.
struct OtherPath {
  int directory = -1;
  const char* path = nullptr;  // null: the call has none
  int flags = 0;               // as of linkat
  bool from_first = false;     // it is seen from the directory of the first one, as where a symbolic link leads
};
/// What the success of a call on a path showed of it.
enum class Shown : uint8_t { kNothing, kDirectory, kOther };
/// A metadata call on a path. A path without a record gets one when the call succeeded; where the call did not show
/// what it is, the kernel is asked.
void path_call(Fn function, int directory, const char* path, Metadata::Count which, bool ok, Timed time,
               uint32_t record_flags = 0, Shown shown = Shown::kNothing, OtherPath other = {});
/// A metadata call on an open descriptor.
void descriptor_call(Fn function, int fd, Metadata::Count which, bool ok, Timed time);
/// The same of one with this tag; `fd` < 0: it is not known which.
void tagged_call(Fn function, uint64_t tag, Metadata::Count which, bool ok, Timed time, int fd = -1);
/// A call that concerns no file in particular.
void plain_call(Fn function, bool ok, Timed time);
/// One on an open descriptor that counts nothing at its file, whose event names it.
void call_about(Fn function, int fd, bool ok, Timed time);

// The parts of the above, for calls that need others besides. Inside a section.
/// Counts a call in its function's profile, and in the series unless it failed. `handle`: of its file in events, 0: it
/// has none.
void count_profile(Fn function, bool ok, Timed time, uint32_t handle = 0);
void add_meta_time(Shard* shard, Timed time);
void count_excluded_call(uint32_t rule, bool is_open);

void moved_position(Fn function, int fd, int64_t position, Timed time);
void mapped(Fn function, int fd, uint64_t bytes, bool ok, Timed time);

/// The record of a path, referenced; −1 − rule when it is excluded; 0 when there is none and none was to be made.
int64_t record_of(const PathName& name, bool make);
/// Counts a call at a record; null: there is no memory for that, or, with record 0, another thread closed the file just
/// now.
Shard* count_metadata(uint32_t record, Layer layer, Metadata::Count which, Timed time);

/// Runs `call` and returns its result with its time in `time`.
template <typename Call>
HEADRACE_INLINE auto timed(Timed& time, Call call) {
  if (HEADRACE_UNLIKELY(state.paused.load(std::memory_order_relaxed))) {
    time = {0, 0};
    return call();
  }
  time.start = base::ticks();
  auto result = call();
  time.end = base::ticks();
  return result;
}
/// The same of `function`, which is in the spool while it lasts. `on`: OnPath, OnDescriptor, OnTag or OnNothing.
template <typename On, typename Call>
HEADRACE_INLINE auto timed(Fn function, On on, Timed& time, Call call) {
  InCall current;
  bool begun = false;
  auto result = timed(time, [&] {
    begun = time.recorded() && !in_vfork_child() && ready();
    if (HEADRACE_LIKELY(begun)) begin_on(current, function, time.start, on, __builtin_frame_address(0));
    return call();
  });
  if (HEADRACE_LIKELY(begun)) end_call(current);
  return result;
}

}  // namespace headrace::capture
