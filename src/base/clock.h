// The clock of the recorders: the cheapest monotonic tick source that the kernel itself trusts.
//
// Ticks are meaningful within one machine; (ticks, CLOCK_MONOTONIC) pairs taken at the start and the end of a process
// convert them to nanoseconds afterwards, so nothing is ever calibrated by waiting.
#pragma once
#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace headrace::base {

/// Set once at start, before any thread exists: true where the kernel's clock source is this counter.
inline bool counter_clock = false;

/// Nanoseconds of one of the kernel's clocks; async-signal-safe.
inline uint64_t clock_ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

inline uint64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }

/// Ticks now: the processor's counter, or CLOCK_MONOTONIC nanoseconds. Reads are not fenced: a fence would cost more
/// than the few instructions by which a reading may move.
inline uint64_t ticks() {
#if defined(__x86_64__)
  if (__builtin_expect(counter_clock, 1)) return __rdtsc();
#elif defined(__aarch64__)
  if (__builtin_expect(counter_clock, 1)) {
    uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
  }
#endif
  return monotonic_ns();
}

}  // namespace headrace::base
