// Locks, conditions, barriers and ends of threads. What can be had at once is had by the function that tries, which
// treats robust, recursive, error-checking and priority-inheriting locks as the one that waits does; only where that
// says EBUSY there is a wait.
#include <errno.h>
#include <threads.h>
#include <time.h>

#include "programs/sync/waiting.h"

using namespace headrace::sync;  // NOLINT

namespace {

#if defined(__x86_64__)
constexpr char kConditions[] = "GLIBC_2.3.2";  // those of 2.2.5 have another layout
#else
constexpr char kConditions[] = "GLIBC_2.17";
#endif

#define REAL(name, ...) constinit Real<decltype(::name)> real_##name{#name __VA_OPT__(, ) __VA_ARGS__};
// clang-format off
#define ALL_REAL(R)                                                                                                \
  R(pthread_mutex_lock) R(pthread_mutex_trylock) R(pthread_mutex_timedlock) R(pthread_mutex_clocklock)              \
  R(pthread_spin_lock) R(pthread_spin_trylock) R(pthread_rwlock_rdlock) R(pthread_rwlock_tryrdlock)                 \
  R(pthread_rwlock_timedrdlock) R(pthread_rwlock_clockrdlock) R(pthread_rwlock_wrlock) R(pthread_rwlock_trywrlock)  \
  R(pthread_rwlock_timedwrlock) R(pthread_rwlock_clockwrlock) R(pthread_cond_wait, kConditions)                     \
  R(pthread_cond_timedwait, kConditions) R(pthread_cond_clockwait) R(pthread_barrier_wait) R(pthread_join)          \
  R(pthread_timedjoin_np) R(pthread_clockjoin_np) R(mtx_lock) R(mtx_trylock) R(mtx_timedlock) R(cnd_wait)           \
  R(cnd_timedwait) R(thrd_join)
// clang-format on
ALL_REAL(REAL)

__attribute__((constructor)) void look_up_all() {
#define LOOK_UP(name, ...) real_##name.get();
  ALL_REAL(LOOK_UP)
}

bool is_time(const timespec* time) { return time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000; }
/// What the waiting functions look at before they look at the lock.
bool is_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

}  // namespace

#define TRY_FIRST(name, trying, sane, params, args)                                               \
  WRAPPER(int, name, params) {                                                                    \
    if (const int tried = (sane) ? real_##trying.get()(it) : EBUSY; tried != EBUSY) return tried; \
    return wait_in(WaitFn::k_##name, [=] { return real_##name.get() args; });                     \
  }
#define CANCELLABLE(name, params, args)                                                \
  WRAPPER(int, name, params) {                                                         \
    return wait_cancellable(WaitFn::k_##name, [=] { return real_##name.get() args; }); \
  }

extern "C" {

TRY_FIRST(pthread_mutex_lock, pthread_mutex_trylock, true, (pthread_mutex_t * it), (it))
TRY_FIRST(pthread_mutex_timedlock, pthread_mutex_trylock, true, (pthread_mutex_t * it, const timespec* until),
          (it, until))
TRY_FIRST(pthread_mutex_clocklock, pthread_mutex_trylock, is_clock(clock),
          (pthread_mutex_t * it, clockid_t clock, const timespec* until), (it, clock, until))
TRY_FIRST(pthread_spin_lock, pthread_spin_trylock, true, (pthread_spinlock_t * it), (it))
TRY_FIRST(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, true, (pthread_rwlock_t * it), (it))
TRY_FIRST(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, is_time(until),
          (pthread_rwlock_t * it, const timespec* until), (it, until))
TRY_FIRST(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, is_clock(clock) && is_time(until),
          (pthread_rwlock_t * it, clockid_t clock, const timespec* until), (it, clock, until))
TRY_FIRST(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, true, (pthread_rwlock_t * it), (it))
TRY_FIRST(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, is_time(until),
          (pthread_rwlock_t * it, const timespec* until), (it, until))
TRY_FIRST(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, is_clock(clock) && is_time(until),
          (pthread_rwlock_t * it, clockid_t clock, const timespec* until), (it, clock, until))
CANCELLABLE(pthread_cond_wait, (pthread_cond_t * it, pthread_mutex_t* lock), (it, lock))
CANCELLABLE(pthread_cond_timedwait, (pthread_cond_t * it, pthread_mutex_t* lock, const timespec* until),
            (it, lock, until))
CANCELLABLE(pthread_cond_clockwait,
            (pthread_cond_t * it, pthread_mutex_t* lock, clockid_t clock, const timespec* until),
            (it, lock, clock, until))
CANCELLABLE(pthread_join, (pthread_t thread, void** result), (thread, result))
CANCELLABLE(pthread_timedjoin_np, (pthread_t thread, void** result, const timespec* until), (thread, result, until))
CANCELLABLE(pthread_clockjoin_np, (pthread_t thread, void** result, clockid_t clock, const timespec* until),
            (thread, result, clock, until))
CANCELLABLE(cnd_wait, (cnd_t * it, mtx_t* lock), (it, lock))
CANCELLABLE(cnd_timedwait, (cnd_t * it, mtx_t* lock, const timespec* until), (it, lock, until))
CANCELLABLE(thrd_join, (thrd_t thread, int* result), (thread, result))

WRAPPER(int, pthread_barrier_wait, (pthread_barrier_t * it)) {
  return wait_in(WaitFn::k_pthread_barrier_wait, [=] { return real_pthread_barrier_wait.get()(it); });
}

WRAPPER(int, mtx_lock, (mtx_t * it)) {
  if (const int tried = real_mtx_trylock.get()(it); tried != thrd_busy) return tried;
  return wait_in(WaitFn::k_mtx_lock, [=] { return real_mtx_lock.get()(it); });
}

WRAPPER(int, mtx_timedlock, (mtx_t * it, const timespec* until)) {
  if (const int tried = real_mtx_trylock.get()(it); tried != thrd_busy) return tried;
  return wait_in(WaitFn::k_mtx_timedlock, [=] { return real_mtx_timedlock.get()(it, until); });
}

}  // extern "C"
