#include "cluster/distance.h"

#include <algorithm>

#include "cluster/wide.h"

// GCC before 12 has only the one, clang the other.
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HEADRACE_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef HEADRACE_SHUFFLE
#define HEADRACE_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, FourInts{__VA_ARGS__})
#endif

namespace headrace::cluster {
namespace {

using Eight = float __attribute__((vector_size(32)));
using EightInts = int __attribute__((vector_size(32)));

HEADRACE_INLINED inline void load_eight(const float* from, Eight& into) { std::memcpy(&into, from, sizeof into); }

/// The four sums of manhattan() for each of four rows: lanes 0 to 3 of a vector are its first one, 4 to 7 its second.
HEADRACE_INLINED inline void add_four(const float* point, const float* rows, size_t size, Four* sums) {
  const EightInts all_but_sign = (EightInts{} - 1) & 0x7fffffff;
  Eight first = {}, second = {}, third = {}, fourth = {};
  for (size_t j = 0; j < size; j += kLanes) {
    Eight here, a, b, c, d;
    load_eight(point + j, here);
    load_eight(rows + j, a);
    load_eight(rows + size + j, b);
    load_eight(rows + 2 * size + j, c);
    load_eight(rows + 3 * size + j, d);
    first += reinterpret_cast<Eight>(reinterpret_cast<EightInts>(here - a) & all_but_sign);
    second += reinterpret_cast<Eight>(reinterpret_cast<EightInts>(here - b) & all_but_sign);
    third += reinterpret_cast<Eight>(reinterpret_cast<EightInts>(here - c) & all_but_sign);
    fourth += reinterpret_cast<Eight>(reinterpret_cast<EightInts>(here - d) & all_but_sign);
  }
  const Eight all[] = {first, second, third, fourth};
  for (size_t i = 0; i < 4; ++i) {
    Four halves[2];
    std::memcpy(halves, &all[i], sizeof halves);
    sums[i] = halves[0] + halves[1];
  }
}

/// (0 + 1) + (2 + 3) of each of four, in the order in which manhattan() adds them.
HEADRACE_INLINED inline Four sums_of_each(const Four* sums) {
  const Four low = HEADRACE_SHUFFLE(sums[0], sums[1], 0, 4, 2, 6);
  const Four low_other = HEADRACE_SHUFFLE(sums[0], sums[1], 1, 5, 3, 7);
  const Four high = HEADRACE_SHUFFLE(sums[2], sums[3], 0, 4, 2, 6);
  const Four high_other = HEADRACE_SHUFFLE(sums[2], sums[3], 1, 5, 3, 7);
  const Four first = low + low_other, second = high + high_other;  // 01 of a, 01 of b, 23 of a, 23 of b
  return HEADRACE_SHUFFLE(first, second, 0, 1, 4, 5) + HEADRACE_SHUFFLE(first, second, 2, 3, 6, 7);
}

constexpr size_t kBlock = 64;  // rows that stay in the nearest cache while they are compared

HEADRACE_AVX2 void wide_distances(const float* point, const float* rows, size_t count, size_t size, float* out) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Four sums[4];
    add_four(point, rows + i * size, size, sums);
    const Four all = sums_of_each(sums);
    std::memcpy(out + i, &all, sizeof all);
  }
  for (; i < count; ++i) out[i] = manhattan(point, rows + i * size, size);
}

HEADRACE_AVX2 void take_nearer(const float* __restrict distance, size_t count, uint32_t centre,
                               uint32_t* __restrict which, float* __restrict how_far) {
  for (size_t i = 0; i < count; ++i) {
    which[i] = distance[i] < how_far[i] ? centre : which[i];
    how_far[i] = distance[i] < how_far[i] ? distance[i] : how_far[i];
  }
}

void wide_nearest(const float* rows, size_t count, const float* centres, uint32_t k, size_t size, uint32_t* which,
                  float* how_far) {
  float distance[kBlock];
  for (size_t i = 0; i < count; i += kBlock) {
    const size_t few = std::min(kBlock, count - i);
    std::fill_n(which + i, few, 0);
    wide_distances(centres, rows + i * size, few, size, how_far + i);
    for (uint32_t c = 1; c < k; ++c) {
      wide_distances(centres + c * size, rows + i * size, few, size, distance);
      take_nearer(distance, few, c, which + i, how_far + i);
    }
  }
}

}  // namespace

void distances_to(const float* point, const float* rows, size_t count, size_t size, float* out) {
  if (has_avx2()) return wide_distances(point, rows, count, size, out);
  for (size_t i = 0; i < count; ++i) out[i] = manhattan(point, rows + i * size, size);
}

void nearest_of_each(Distance distance, const float* rows, size_t count, const float* centres, uint32_t k, size_t size,
                     uint32_t* which, float* how_far) {
  if (distance == nullptr && has_avx2()) return wide_nearest(rows, count, centres, k, size, which, how_far);
  for (size_t i = 0; i < count; ++i) which[i] = nearest(distance, rows + i * size, centres, k, size, how_far + i);
}

}  // namespace headrace::cluster
