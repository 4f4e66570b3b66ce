#include "programs/emulate/delay.h"

#include <errno.h>

#include <algorithm>

#include "programs/emulate/real.h"

namespace headrace::emulate {
namespace {

/// What is later than that was no matter of sleeping: the process was stopped, or its disk is slower than the profile.
constexpr uint64_t kMostLateness = 4'000'000;

constexpr int kKinds = 3;
__thread uint64_t lateness[kKinds];

uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// A point in time, so that signals do not make it longer. Timers of a thread are late by its slack, 50 us as a rule;
/// it is put away meanwhile.
void sleep_until(uint64_t time) {
  const int slack = REAL(prctl)(PR_GET_TIMERSLACK);
  REAL(prctl)(PR_SET_TIMERSLACK, 1);
  const timespec until = {static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
  while (REAL(clock_nanosleep)(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
  if (slack > 0) REAL(prctl)(PR_SET_TIMERSLACK, slack);
}

}  // namespace

Delay::Delay(Kind kind) : kind_(kind), arrival_(now() - lateness[static_cast<int>(kind)]) {}

void Delay::until(uint64_t deadline) const {
  const int error = errno;
  if (now() < deadline) sleep_until(deadline);
  const uint64_t end = now();
  lateness[static_cast<int>(kind_)] = end > deadline ? std::min(end - deadline, kMostLateness) : 0;
  errno = error;
}

}  // namespace headrace::emulate
