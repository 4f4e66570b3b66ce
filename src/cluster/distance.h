#pragma once
// Distances between rows that lie in memory as floats, padded with zeros to a multiple of kLanes.
//
// The Manhattan distance is that of the paper (section V: "the manhattan distance on vectors of cumulative times"). Any
// other function of the same kind may take its place; centres are medians by component whatever the distance is, which
// is best for the Manhattan one.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace headrace::cluster {

inline constexpr size_t kLanes = 8;

using Four = float __attribute__((vector_size(16)));
using FourInts = int __attribute__((vector_size(16)));

inline size_t padded(size_t dims) { return (dims + kLanes - 1) / kLanes * kLanes; }

inline Four load_four(const float* from) {
  Four value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline Four absolute(Four value) {
  const FourInts all_but_sign = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff};
  return reinterpret_cast<Four>(reinterpret_cast<FourInts>(value) & all_but_sign);
}

/// A compiler may not reorder sums of floats by itself, so it would not use vectors here.
inline float manhattan(const float* a, const float* b, size_t size) {
  Four first = {}, second = {};
  for (size_t i = 0; i < size; i += kLanes) {
    first += absolute(load_four(a + i) - load_four(b + i));
    second += absolute(load_four(a + i + 4) - load_four(b + i + 4));
  }
  const Four sum = first + second;
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

inline float euclidean(const float* a, const float* b, size_t size) {
  float sum = 0;
  for (size_t i = 0; i < size; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

inline float chebyshev(const float* a, const float* b, size_t size) {
  float most = 0;
  for (size_t i = 0; i < size; ++i) most = std::fmax(most, std::fabs(a[i] - b[i]));
  return most;
}

/// Null stands for Manhattan, whose calls are compiled in.
using Distance = float (*)(const float* a, const float* b, size_t size);

inline float between(Distance distance, const float* a, const float* b, size_t size) {
  return distance == nullptr ? manhattan(a, b, size) : distance(a, b, size);
}

/// The number of the nearest of `count` centres that lie one behind the other; the first of equally near ones.
inline uint32_t nearest(Distance distance, const float* point, const float* centres, uint32_t count, size_t size,
                        float* how_far = nullptr) {
  uint32_t best = 0;
  float least = between(distance, point, centres, size);
  for (uint32_t i = 1; i < count; ++i) {
    const float each = between(distance, point, centres + i * size, size);
    if (each < least) {
      least = each;
      best = i;
    }
  }
  if (how_far != nullptr) *how_far = least;
  return best;
}

/// Manhattan distances from a point to each of `count` rows.
void distances_to(const float* point, const float* rows, size_t count, size_t size, float* out);

/// nearest() of each of `count` rows.
void nearest_of_each(Distance distance, const float* rows, size_t count, const float* centres, uint32_t k, size_t size,
                     uint32_t* which, float* how_far);

}  // namespace headrace::cluster
