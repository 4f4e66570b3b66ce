// Sizes of so many calls, of which only a histogram and a sum are known.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

namespace headrace::workload::replay {

struct KnownSizes {
  uint64_t calls = 0, bytes = 0;
  std::map<uint64_t, uint64_t> buckets = {};  // calls by bucket, as in job logs
  std::map<uint64_t, uint64_t> common = {};   // calls by exact size
};

/// As many sizes as there are calls, that add up to the bytes as far as the buckets allow. In order of buckets; where
/// these do not say enough all calls have the mean.
std::vector<uint64_t> make_sizes(const KnownSizes& known);

}  // namespace headrace::workload::replay
