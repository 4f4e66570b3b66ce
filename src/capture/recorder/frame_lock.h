// A lock for short sections that signal handlers may interrupt, leave by siglongjmp, or enter anew.
//
// Nobody waits for long: who does not get it does without. Taken by a thread that already has it, it is either held
// further out on the stack (a signal handler came between: refused), or was left by a jump (taken over).
#pragma once
#include <atomic>
#include <cstdint>

#include "capture/recorder/update.h"

namespace headrace::capture {

/// Zeros are an open lock, also in a forked child whose memory was wiped.
class FrameLock {
 public:
  /// False: somebody else has it, or this thread further out. `frame`: the caller's.
  bool take(const void* frame, uint32_t attempts = 2000) {
    const auto me = reinterpret_cast<uintptr_t>(&entering);  // there is one in each thread
    const auto here = reinterpret_cast<uintptr_t>(frame);
    for (uint32_t i = 0; i < attempts; ++i) {
      uintptr_t nobody = 0;
      if (owner_.compare_exchange_weak(nobody, me, std::memory_order_acquire)) break;
      if (nobody == me) {
        if (here < frame_ || is_on_alternate_stack()) return false;
        break;
      }
      if (i + 1 == attempts) return false;
    }
    frame_ = here;
    return true;
  }
  void give() { owner_.store(0, std::memory_order_release); }

 private:
  std::atomic<uintptr_t> owner_;
  uintptr_t frame_;
};

}  // namespace headrace::capture
