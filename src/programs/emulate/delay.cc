#include "programs/emulate/delay.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>

namespace headrace::emulate {
namespace {

constexpr uint64_t kFirstLateness = 20'000, kMostLateness = 50'000;
uint64_t configured = 0;

__attribute__((constructor)) void configure() {
  const char* text = getenv("HEADRACE_EMULATE");
  configured = text != nullptr ? strtoull(text, nullptr, 10) : 0;
}

uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// A point in time, so that signals do not make it longer.
void sleep_until(uint64_t time) {
  const timespec until = {static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace

uint64_t delay_ns() { return configured; }

/// Timers of a thread are late by its slack, 50 us as a rule, and by the time that a processor takes to wake up. The
/// slack is put away meanwhile; the rest, as it was of late, is taken off, so that delays are right on average. Nothing
/// turns in a circle: many ranks may share a processor.
void wait_before_transfer() {
  const int error = errno;
  static __thread uint64_t lateness = kFirstLateness;
  const uint64_t begin = now(), until = begin + configured, early = std::min(lateness, configured);
  if (early < configured) {
    const int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1);
    sleep_until(until - early);
    if (slack > 0) prctl(PR_SET_TIMERSLACK, slack);
    const uint64_t late = now() - (until - early);
    lateness = std::min((lateness * 7 + late) / 8, kMostLateness);
  }
  errno = error;
}

}  // namespace headrace::emulate
