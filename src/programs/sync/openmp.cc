// What threads of OpenMP teams wait in, of GCC's run-time library and of LLVM's. In other than locks nobody can try, so
// entering a critical section counts as a wait by the time that it takes.
#include <cstdint>

#include "programs/sync/openmp_family.h"
#include "programs/sync/waiting.h"

using namespace headrace::sync;  // NOLINT

namespace {

template <typename F>
F* real(OpenMp function, const void* caller) {
  return reinterpret_cast<F*>(openmp(function, caller));
}

/// A parallel region, whose body the thread that begins it takes part in and then waits for the others.
struct Team {
  void (*body)(void*);
  void* data;
  const WaitCalls* calls;
  const void* master;
  uint64_t done;
};
__thread char own_place;

void take_part(void* of) {
  auto* team = static_cast<Team*>(of);
  team->body(team->data);
  if (team->master == &own_place) team->done = team->calls->now();
}

template <typename Start>
void lead(void (*body)(void*), void* data, Start start) {
  Team team{body, data, recorder(), &own_place, 0};
  if (!team.calls) return start(body, data);
  start(take_part, &team);
  if (team.done) team.calls->waited(WaitFn::k_GOMP_parallel_end, team.done, true);
}

}  // namespace

#define HERE __builtin_return_address(0)
#define WAITS(result, name, params, args, perhaps)                            \
  WRAPPER(result, name, params) {                                             \
    auto* function = real<result params>(OpenMp::k_##name, HERE);             \
    return wait_in(WaitFn::k_##name, [=] { return function args; }, perhaps); \
  }
#define LEADS(name, params, args)                                              \
  WRAPPER(void, name, params) {                                                \
    auto* function = real<void params>(OpenMp::k_##name, HERE);                \
    lead(body, data, [=](void (*body)(void*), void* data) { function args; }); \
  }
#define LOOP_LEADS(name)                                                                                 \
  LEADS(name,                                                                                            \
        (void (*body)(void*), void* data, unsigned threads, long begin, long end, long step, long piece, \
         unsigned flags),                                                                                \
        (body, data, threads, begin, end, step, piece, flags))
#define RUNTIME_LOOP_LEADS(name)                                                                                    \
  LEADS(name, (void (*body)(void*), void* data, unsigned threads, long begin, long end, long step, unsigned flags), \
        (body, data, threads, begin, end, step, flags))
#define LOCKS(symbol, trying, kind)                                  \
  WRAPPER(void, symbol, (void* it)) {                                \
    if (real<int(void*)>(OpenMp::k_##trying, HERE)(it) != 0) return; \
    auto* function = real<void(void*)>(OpenMp::k_##symbol, HERE);    \
    wait_in(WaitFn::k_##kind, [=] { function(it); });                \
  }

extern "C" {

WAITS(void, GOMP_barrier, (), (), false)
WAITS(bool, GOMP_barrier_cancel, (), (), false)
WAITS(void, GOMP_critical_start, (), (), true)
WAITS(void, GOMP_critical_name_start, (void** it), (it), true)
WAITS(void, GOMP_loop_end, (), (), false)
WAITS(bool, GOMP_loop_end_cancel, (), (), false)
WAITS(void, GOMP_sections_end, (), (), false)
WAITS(bool, GOMP_sections_end_cancel, (), (), false)
WAITS(void*, GOMP_single_copy_start, (), (), true)
WAITS(void, GOMP_ordered_start, (), (), true)
WAITS(void, GOMP_taskwait, (), (), true)
WAITS(void, GOMP_taskwait_depend, (void** on), (on), true)
WAITS(void, GOMP_taskgroup_end, (), (), true)
WAITS(void, GOMP_parallel_end, (), (), true)

LEADS(GOMP_parallel, (void (*body)(void*), void* data, unsigned threads, unsigned flags), (body, data, threads, flags))
LEADS(GOMP_parallel_sections, (void (*body)(void*), void* data, unsigned threads, unsigned count, unsigned flags),
      (body, data, threads, count, flags))
LOOP_LEADS(GOMP_parallel_loop_static)
LOOP_LEADS(GOMP_parallel_loop_dynamic)
LOOP_LEADS(GOMP_parallel_loop_guided)
LOOP_LEADS(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP_LEADS(GOMP_parallel_loop_nonmonotonic_guided)
RUNTIME_LOOP_LEADS(GOMP_parallel_loop_runtime)
RUNTIME_LOOP_LEADS(GOMP_parallel_loop_nonmonotonic_runtime)
RUNTIME_LOOP_LEADS(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

LOCKS(omp_set_lock, omp_test_lock, omp_set_lock)
LOCKS(omp_set_nest_lock, omp_test_nest_lock, omp_set_nest_lock)
LOCKS(omp_set_lock_, omp_test_lock_, omp_set_lock)
LOCKS(omp_set_nest_lock_, omp_test_nest_lock_, omp_set_nest_lock)

WAITS(void, __kmpc_barrier, (void* place, int32_t thread), (place, thread), false)
WAITS(int32_t, __kmpc_cancel_barrier, (void* place, int32_t thread), (place, thread), false)
WAITS(void, __kmpc_critical, (void* place, int32_t thread, void* it), (place, thread, it), true)
WAITS(void, __kmpc_critical_with_hint, (void* place, int32_t thread, void* it, uintptr_t hint),
      (place, thread, it, hint), true)
WAITS(int32_t, __kmpc_omp_taskwait, (void* place, int32_t thread), (place, thread), true)
WAITS(void, __kmpc_end_taskgroup, (void* place, int32_t thread), (place, thread), true)
WAITS(void, __kmpc_ordered, (void* place, int32_t thread), (place, thread), true)
WAITS(int32_t, __kmpc_reduce,
      (void* place, int32_t thread, int32_t count, size_t bytes, void* data, void (*reduce)(void*, void*), void* it),
      (place, thread, count, bytes, data, reduce, it), true)

}  // extern "C"
