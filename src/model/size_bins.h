// Bins for sizes of operations that are fine enough to tell 16 KiB from 20 KiB: every size below 16 has a bin of its
// own, then eight bins to a doubling, so that a bin's ends lie at most 12.5 % apart.
#pragma once
#include <cstdint>

namespace headrace::model {

struct SizeBins {
  static constexpr uint32_t kExact = 16, kSteps = 8, kFirstBit = 4, kLastBit = 39;
  static constexpr uint32_t kCount = kExact + (kLastBit - kFirstBit + 1) * kSteps;

  static constexpr uint32_t bin_of(uint64_t size) {
    if (size < kExact) return static_cast<uint32_t>(size);
    const auto bit = static_cast<uint32_t>(63 - __builtin_clzll(size));
    if (bit > kLastBit) return kCount - 1;
    return kExact + (bit - kFirstBit) * kSteps + static_cast<uint32_t>(size >> (bit - 3) & (kSteps - 1));
  }
  /// The least size in a bin; of the last bin there is no greatest.
  static constexpr uint64_t least(uint32_t bin) {
    if (bin < kExact) return bin;
    const uint32_t step = (bin - kExact) % kSteps, bit = (bin - kExact) / kSteps + kFirstBit;
    return uint64_t{kSteps + step} << (bit - 3);
  }
  static constexpr uint64_t most(uint32_t bin) { return bin + 1 < kCount ? least(bin + 1) - 1 : UINT64_MAX; }
};

static_assert(SizeBins::bin_of(16) == 16 && SizeBins::least(16) == 16 && SizeBins::most(16) == 17);
static_assert(SizeBins::bin_of(65536) != SizeBins::bin_of(65535) &&
              SizeBins::bin_of(UINT64_MAX) == SizeBins::kCount - 1);

}  // namespace headrace::model
