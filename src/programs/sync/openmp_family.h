// Functions of OpenMP's run-time library, as whoever calls them would find them: a process may have several libraries,
// of which each wheel of Python brings its own.
#pragma once
#include <cstddef>

namespace headrace::sync {

// clang-format off
#define OPENMP_FUNCTIONS(F)                                                                                        \
  F(GOMP_barrier) F(GOMP_barrier_cancel) F(GOMP_critical_start) F(GOMP_critical_name_start) F(GOMP_loop_end)       \
  F(GOMP_loop_end_cancel) F(GOMP_sections_end) F(GOMP_sections_end_cancel) F(GOMP_single_copy_start)               \
  F(GOMP_ordered_start) F(GOMP_taskwait) F(GOMP_taskwait_depend) F(GOMP_taskgroup_end) F(GOMP_parallel_end)        \
  F(GOMP_parallel) F(GOMP_parallel_sections) F(GOMP_parallel_loop_static) F(GOMP_parallel_loop_dynamic)            \
  F(GOMP_parallel_loop_guided) F(GOMP_parallel_loop_runtime) F(GOMP_parallel_loop_nonmonotonic_dynamic)            \
  F(GOMP_parallel_loop_nonmonotonic_guided) F(GOMP_parallel_loop_nonmonotonic_runtime)                             \
  F(GOMP_parallel_loop_maybe_nonmonotonic_runtime) F(omp_set_lock) F(omp_test_lock) F(omp_set_nest_lock)           \
  F(omp_test_nest_lock) F(omp_set_lock_) F(omp_test_lock_) F(omp_set_nest_lock_) F(omp_test_nest_lock_)            \
  F(__kmpc_barrier) F(__kmpc_cancel_barrier) F(__kmpc_critical) F(__kmpc_critical_with_hint)                       \
  F(__kmpc_omp_taskwait) F(__kmpc_end_taskgroup) F(__kmpc_ordered) F(__kmpc_reduce)
// clang-format on

enum class OpenMp {
#define NUMBER(name) k_##name,
  OPENMP_FUNCTIONS(NUMBER)
#undef NUMBER
      kCount
};

/// The function that a call from `caller` means. All of a library are looked up with its first one: later, threads of a
/// team may call while another one holds the loader's lock.
void* openmp(OpenMp function, const void* caller);

}  // namespace headrace::sync
