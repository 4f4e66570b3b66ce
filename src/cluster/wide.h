#pragma once
// The same loop for processors with wider vectors. Neither sums in another order nor fused operations come of it: AVX2
// alone has none, so all processors have the same results, to the bit.
//
//   inline HEADRACE_INLINED float sum(…) { … }
//   HEADRACE_AVX2 float wide_sum(…) { return sum(…); }
//   … has_avx2() ? wide_sum(…) : sum(…)
//
// Chosen by hand: resolvers of the dynamic linker (target_clones) do not exist in every C library.

#define HEADRACE_INLINED __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__)
#define HEADRACE_AVX2 __attribute__((target("avx2")))
#else
#define HEADRACE_AVX2
#endif

namespace headrace::cluster {

inline bool has_avx2() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has = (__builtin_cpu_init(), __builtin_cpu_supports("avx2") != 0);
  return has;
#else
  return false;
#endif
}

}  // namespace headrace::cluster
