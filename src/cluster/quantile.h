#pragma once
// Order statistics. They change the order of what they are given.

#include <algorithm>
#include <cstddef>
#include <span>

namespace headrace::cluster {

/// The value that would be at place `nth` if all were sorted. As std::nth_element, without its branches: which way a
/// value goes is not known to a processor beforehand, and guessing takes most of the time there.
template <typename T>
T select(T* values, size_t count, size_t nth) {
  for (int rounds = 0; count > 24; ++rounds) {
    if (rounds == 64) {
      std::nth_element(values, values + nth, values + count);
      return values[nth];
    }
    const T first = values[count / 4], second = values[count / 2], third = values[count / 4 * 3];
    const T pivot = std::max(std::min(first, second), std::min(std::max(first, second), third));
    size_t below = 0;
    for (size_t i = 0; i < count; ++i) {
      const T value = values[i];
      values[i] = values[below];
      values[below] = value;
      below += value < pivot ? 1 : 0;
    }
    if (nth < below) {
      count = below;
      continue;
    }
    values += below;
    count -= below;
    nth -= below;
    if (below != 0) continue;
    // The pivot is the least one: those equal to it go.
    size_t equal = 0;
    for (size_t i = 0; i < count; ++i) {
      const T value = values[i];
      values[i] = values[equal];
      values[equal] = value;
      equal += pivot < value ? 0 : 1;
    }
    if (nth < equal) return pivot;
    values += equal;
    count -= equal;
    nth -= equal;
  }
  std::nth_element(values, values + nth, values + count);
  return values[nth];
}

/// The value that a share `at` of the values is below, one of them; of none: 0.
template <typename T>
T quantile(std::span<T> values, double at) {
  if (values.empty()) return T{};
  const auto place = static_cast<size_t>(at * static_cast<double>(values.size()));
  return select(values.data(), values.size(), std::min(place, values.size() - 1));
}

template <typename T>
T median(std::span<T> values) {
  return quantile(values, 0.5);
}

/// Of a normal distribution, the standard deviation is so much more than the median of the deviations.
inline constexpr float kDeviationOfMedian = 1.4826f;

}  // namespace headrace::cluster
