// What the calling thread is in, written into the spool before each real call, so that it is known also of a thread
// that never comes back: plain stores to lines that are at hand.
//
// Nothing is held across the call. One that was left by a jump stays until the thread's next call from the same place
// on the stack or further out.
#pragma once
#include "base/clock.h"
#include "capture/recorder/descriptors.h"
#include "capture/recorder/update.h"

namespace headrace::capture {

/// The caller's block where it has none yet; null in vfork children, or without memory.
HEADRACE_COLD ThreadBlock* block_of_beginner();
/// Takes away those that a call at `frame` shows to be over; the trace is told. Returns how many are left.
HEADRACE_COLD uint32_t drop_left_calls(ThreadBlock* mine, uintptr_t frame);
/// What the innermost call is on, where events are recorded. Of a path that nobody can read nothing is kept.
HEADRACE_COLD void note_current_path(CurrentCall& call, ThreadBlock* mine, int directory, const char* path);

class InCall {
 public:
  HEADRACE_INLINE void begin(uint16_t function, uint8_t moves, uint64_t start, uint64_t file,
                             const void* frame = __builtin_frame_address(0)) {
    ThreadBlock* mine = block;
    if (HEADRACE_UNLIKELY(mine == nullptr)) mine = block_of_beginner();
    block_ = mine;
    if (HEADRACE_UNLIKELY(mine == nullptr)) return;
    const auto here = reinterpret_cast<uintptr_t>(frame);
    uint32_t depth = mine->in_calls;
    if (HEADRACE_UNLIKELY(depth != 0)) {
      if (depth > kCurrentCalls || mine->calls[depth - 1].frame <= here) depth = drop_left_calls(mine, here);
      if (depth == kCurrentCalls) {
        block_ = nullptr;
        return;
      }
    }
    depth_ = depth;
    mine->calls[depth] = {start, here, file, function, moves, 0, 0, 0, 0};
    __atomic_store_n(&mine->in_calls, depth + 1, __ATOMIC_RELEASE);
  }
  /// A forked child that a signal handler made inside the call has another block, or none.
  HEADRACE_INLINE void end() {
    if (HEADRACE_LIKELY(block_ == block) && block_ && HEADRACE_LIKELY(block_->in_calls > depth_))
      __atomic_store_n(&block_->in_calls, depth_, __ATOMIC_RELEASE);
  }
  /// It returned, and stays to be recorded.
  HEADRACE_INLINE void return_only() {
    if (HEADRACE_LIKELY(block_ == block) && block_) block_->calls[depth_].over = 1;
  }
  void on_path(int directory, const char* path) {
    if (block_) note_current_path(block_->calls[depth_], block_, directory, path);
  }

 private:
  ThreadBlock* block_ = nullptr;
  uint32_t depth_ = 0;
};

/// What a call is on, for those who look at it while it lasts.
struct OnPath {
  int directory;
  const char* path;
};
struct OnDescriptor {
  int fd;
};
struct OnTag {
  uint64_t tag;
};
struct OnNothing {};

/// As InCall::begin() and the rest, of calls that are not made by the million. There are a thousand wrappers of such:
/// these stay out of them. `frame`: the wrapper's.
void begin_on(InCall& current, Fn function, uint64_t start, OnTag on, const void* frame);
/// A descriptor that was not looked at yet is not looked at for this.
void begin_on(InCall& current, Fn function, uint64_t start, OnDescriptor on, const void* frame);
void begin_on(InCall& current, Fn function, uint64_t start, OnNothing, const void* frame);
void begin_on(InCall& current, Fn function, uint64_t start, OnPath on, const void* frame);
void begin_library(InCall& current, uint16_t function, uint64_t start, const void* frame);
void end_call(InCall& current);

}  // namespace headrace::capture
