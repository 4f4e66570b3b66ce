#include "programs/emulate/delay.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

namespace headrace::emulate {
namespace {

uint64_t configured = 0;

__attribute__((constructor)) void configure() {
  const char* text = getenv("HEADRACE_EMULATE");
  configured = text != nullptr ? strtoull(text, nullptr, 10) : 0;
}

}  // namespace

uint64_t delay_ns() { return configured; }

/// Until a point in time, so that signals do not make it shorter or longer. Timers of a thread are late by its slack,
/// 50 us as a rule, which would be a quarter of a short delay: it is put away meanwhile.
void wait_before_transfer() {
  const int error = errno;
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const uint64_t nanoseconds = static_cast<uint64_t>(until.tv_nsec) + configured;
  until.tv_sec += static_cast<time_t>(nanoseconds / 1'000'000'000);
  until.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
  const int slack = prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, 1);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
  if (slack > 0) prctl(PR_SET_TIMERSLACK, slack);
  errno = error;
}

}  // namespace headrace::emulate
