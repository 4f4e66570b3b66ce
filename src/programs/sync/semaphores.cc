// Semaphores. Unlike locks their functions are cancellation points also where they need not wait.
#include <errno.h>
#include <semaphore.h>
#include <time.h>

#include "programs/sync/waiting.h"

using namespace headrace::sync;  // NOLINT

namespace {

constinit Real<decltype(::sem_wait)> real_sem_wait{"sem_wait"};
constinit Real<decltype(::sem_trywait)> real_sem_trywait{"sem_trywait"};
constinit Real<decltype(::sem_timedwait)> real_sem_timedwait{"sem_timedwait"};
constinit Real<decltype(::sem_clockwait)> real_sem_clockwait{"sem_clockwait"};

__attribute__((constructor)) void look_up_all() {
  real_sem_wait.get();
  real_sem_trywait.get();
  real_sem_timedwait.get();
  real_sem_clockwait.get();
}

/// Whether it could be had at once. Leaves errno.
bool had(sem_t* semaphore) {
  const int saved = errno;
  pthread_testcancel();
  if (real_sem_trywait.get()(semaphore) == 0) return true;
  errno = saved;
  return false;
}

bool is_time(const timespec* time) { return time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000; }

}  // namespace

extern "C" {

WRAPPER(int, sem_wait, (sem_t * it)) {
  if (had(it)) return 0;
  return wait_cancellable(WaitFn::k_sem_wait, [=] { return real_sem_wait.get()(it); });
}

WRAPPER(int, sem_timedwait, (sem_t * it, const timespec* until)) {
  if (!is_time(until)) return real_sem_timedwait.get()(it, until);
  if (had(it)) return 0;
  return wait_cancellable(WaitFn::k_sem_timedwait, [=] { return real_sem_timedwait.get()(it, until); });
}

WRAPPER(int, sem_clockwait, (sem_t * it, clockid_t clock, const timespec* until)) {
  if (!is_time(until) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
    return real_sem_clockwait.get()(it, clock, until);
  if (had(it)) return 0;
  return wait_cancellable(WaitFn::k_sem_clockwait, [=] { return real_sem_clockwait.get()(it, clock, until); });
}

}  // extern "C"
