// Waiting for another thread of this process in the kernel, which wakes whoever waits when it is time: a crowd that
// slept and looked again and again would take the processors from the thread that all of them wait for.
//
// Async-signal-safe; never touches errno. Words of one process: a forked child waits for its own threads alone.
#pragma once
#include <limits.h>
#include <linux/futex.h>

#include <atomic>

#include "base/kernel.h"

namespace headrace::base {

/// The longest time that a waiter sleeps without a look: who was to wake it may be gone.
inline constexpr long kLongestSleepNs = 100'000'000;

/// Returns when the word is not `value` any more, is woken, or for no reason: the caller looks again.
inline void wait_while(const std::atomic<uint32_t>& word, uint32_t value) {
  const timespec time{0, kLongestSleepNs};
  kernel_call(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &time, nullptr, 0);
}

inline void wake_one(const std::atomic<uint32_t>& word) {
  kernel_call(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}
inline void wake_all(const std::atomic<uint32_t>& word) {
  kernel_call(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace headrace::base
