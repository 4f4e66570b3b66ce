#include "convert/darshan/placement.h"

#include <algorithm>

namespace headrace::convert::darshan {
namespace {

constexpr uint64_t kEnds[kRanges] = {100,      1u << 10,  10u << 10,  100u << 10, 1u << 20,
                                     4u << 20, 10u << 20, 100u << 20, 1u << 30,   uint64_t{1} << 31};

}  // namespace

uint64_t range_end(size_t range) { return kEnds[range]; }

size_t range_of(uint64_t size) {
  size_t range = 0;
  while (range + 1 < kRanges && size > kEnds[range]) ++range;
  return range;
}

uint64_t place_sizes(const std::array<std::array<uint64_t, kRanges>, 2>& ranges, std::span<const CommonAccess> common,
                     model::FileRecord& record) {
  auto left = ranges;
  const auto put = [&](uint32_t direction, size_t range, uint64_t size, uint64_t count) {
    const uint64_t operations = std::min(count, left[direction][range]);
    if (operations == 0) return;
    left[direction][range] -= operations;
    record.sizes[direction].add(size, operations);
    record.common_sizes[direction].add(static_cast<int64_t>(size), operations);
  };
  for (const CommonAccess& each : common) {
    if (each.count <= 0 || each.size < 0) continue;
    const auto size = static_cast<uint64_t>(each.size), count = static_cast<uint64_t>(each.count);
    const size_t range = range_of(size);
    const uint64_t reads = ranges[model::kRead][range], writes = ranges[model::kWrite][range];
    const bool whole_range = count >= reads && count - reads >= writes;
    if (whole_range || writes == 0) put(model::kRead, range, size, count);
    if (whole_range || reads == 0) put(model::kWrite, range, size, count);
  }
  uint64_t rough = 0;
  for (uint32_t d = 0; d < model::kDirections; ++d) {
    bool exact = true;
    for (size_t range = 0; range < kRanges; ++range) {
      const uint64_t count = left[d][range];
      if (count == 0) continue;
      exact = false;
      rough += count;
      record.sizes[d].add(kEnds[range], count);
    }
    record.common_sizes[d].exact = exact;
  }
  return rough;
}

}  // namespace headrace::convert::darshan
