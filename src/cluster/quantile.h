#pragma once
// Order statistics. They change the order of what they are given.

#include <algorithm>
#include <cstddef>
#include <span>

namespace headrace::cluster {

/// The value that a share `at` of the values is below, one of them; of none: 0.
template <typename T>
T quantile(std::span<T> values, double at) {
  if (values.empty()) return T{};
  const auto place = static_cast<size_t>(at * static_cast<double>(values.size()));
  const auto nth = values.begin() + static_cast<ptrdiff_t>(std::min(place, values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

template <typename T>
T median(std::span<T> values) {
  return quantile(values, 0.5);
}

/// Of a normal distribution, the standard deviation is so much more than the median of the deviations.
inline constexpr float kDeviationOfMedian = 1.4826f;

}  // namespace headrace::cluster
