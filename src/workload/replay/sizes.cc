#include "workload/replay/sizes.h"

#include <algorithm>

namespace headrace::workload::replay {
namespace {

struct Part {
  uint64_t size, least, most, calls;
};

uint64_t least_of(uint64_t bucket) {
  return bucket == 0 ? 0 : bucket > 63 ? uint64_t{1} << 63 : (uint64_t{1} << (bucket - 1)) + 1;
}
uint64_t most_of(uint64_t bucket) { return bucket > 62 ? uint64_t{1} << 63 : uint64_t{1} << bucket; }

/// Moves sizes inside of their buckets until they add up; `missing` bytes are to be added, or taken away.
void fit(std::vector<uint64_t>& sizes, const std::vector<Part>& parts, __int128 missing) {
  for (int round = 0; round < 2; ++round) {
    size_t at = 0;
    for (const Part& part : parts)
      for (uint64_t i = 0; i < part.calls; ++i, ++at) {
        const __int128 left = static_cast<__int128>(sizes.size() - at);
        const __int128 share = round == 0 ? missing / left : missing;
        const __int128 wanted = static_cast<__int128>(sizes[at]) + share;
        const __int128 size = std::clamp<__int128>(wanted, part.least, part.most);
        missing -= size - static_cast<__int128>(sizes[at]);
        sizes[at] = static_cast<uint64_t>(size);
      }
  }
}

}  // namespace

std::vector<uint64_t> make_sizes(const KnownSizes& known) {
  std::map<uint64_t, uint64_t> common = known.common;
  std::vector<Part> parts;
  uint64_t calls = 0;
  for (const auto& [bucket, count] : known.buckets) {
    const uint64_t least = least_of(bucket), most = most_of(bucket);
    uint64_t left = std::min(count, known.calls - std::min(calls, known.calls));
    calls += left;
    for (auto& [size, times] : common) {
      if (size < least || size > most) continue;
      const uint64_t taken = std::min(times, left);
      if (taken > 0) parts.push_back({size, size, size, taken});
      left -= taken;
    }
    if (left > 0) parts.push_back({least + (most - least) / 2, least, most, left});
  }
  if (calls < known.calls) {
    const uint64_t mean = known.bytes / known.calls;
    parts.push_back({mean, 0, known.bytes, known.calls - calls});
  }
  std::vector<uint64_t> sizes;
  sizes.reserve(known.calls);
  __int128 sum = 0;
  for (const Part& part : parts) {
    sizes.insert(sizes.end(), part.calls, part.size);
    sum += static_cast<__int128>(part.size) * part.calls;
  }
  fit(sizes, parts, static_cast<__int128>(known.bytes) - sum);
  return sizes;
}

}  // namespace headrace::workload::replay
