// Sizes that people have typed, multiplied without running over.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace headrace::workload {

inline constexpr uint64_t kLargestFile = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

/// Whether the product of all is beyond `most`.
inline bool beyond(uint64_t most, std::initializer_list<uint64_t> factors) {
  unsigned __int128 product = 1;
  for (const uint64_t factor : factors) {
    product *= factor;
    if (product > most) return true;
  }
  return false;
}

}  // namespace headrace::workload
