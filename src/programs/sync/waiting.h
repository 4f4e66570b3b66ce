// A wrapper that waits: the C library's own function, and how a wait in it is recorded.
//
// Nothing is held across the real call: it may be left by longjmp, by cancellation, or by the process. No wrapper is
// noexcept, as cancelled threads unwind through it.
#pragma once
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

#include "capture/waits.h"

#define EXPORT __attribute__((visibility("default")))
#define WRAPPER(result, name, params)                  \
  EXPORT result headrace_##name params __asm__(#name); \
  result headrace_##name params

extern "C" __attribute__((weak)) const headrace::capture::WaitCalls* headrace_wait_recorder();

namespace headrace::sync {

using capture::WaitCalls;
using capture::WaitFn;

/// Only asked when a thread is about to wait. Null: nothing is recorded.
inline const WaitCalls* recorder() { return headrace_wait_recorder ? headrace_wait_recorder() : nullptr; }

/// The function of this name behind this library. Looked up by the constructor, and earlier only by constructors that
/// come before that: the look-up takes the loader's lock.
template <typename F>
class Real {
 public:
  constexpr Real(const char* name, const char* version = nullptr) : name_(name), version_(version) {}
  F* get() {
    F* known = known_.load(std::memory_order_relaxed);
    return __builtin_expect(known != nullptr, 1) ? known : look_up();
  }

 private:
  __attribute__((noinline, cold)) F* look_up() {
    void* found = version_ ? dlvsym(RTLD_NEXT, name_, version_) : nullptr;
    if (!found) found = dlsym(RTLD_NEXT, name_);
    known_.store(reinterpret_cast<F*>(found), std::memory_order_relaxed);
    return reinterpret_cast<F*>(found);
  }
  const char *name_, *version_;
  std::atomic<F*> known_{nullptr};
};

/// A call that is no cancellation point.
template <typename Call>
inline auto wait_in(WaitFn function, Call call, bool perhaps = false) {
  const WaitCalls* calls = recorder();
  const uint64_t start = calls ? calls->now() : 0;
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    if (calls) calls->waited(function, start, perhaps);
  } else {
    auto result = call();
    if (calls) calls->waited(function, start, perhaps);
    return result;
  }
}

struct Begun {
  const WaitCalls* calls;
  WaitFn function;
  uint64_t start;
};
inline void over(void* wait) {
  const auto* begun = static_cast<const Begun*>(wait);
  begun->calls->waited(begun->function, begun->start, false);
}

/// A call that a thread may be cancelled in. That ends the wait, too.
template <typename Call>
__attribute__((noinline)) int wait_cancellable(WaitFn function, Call call) {
  const WaitCalls* calls = recorder();
  if (!calls) return call();
  Begun begun{calls, function, calls->now()};
  int result;
  pthread_cleanup_push(over, &begun);
  result = call();
  pthread_cleanup_pop(1);
  return result;
}

}  // namespace headrace::sync
