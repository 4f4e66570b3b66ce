// How often operations of which size occurred, in powers of two.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace headrace::model {

/// Bucket 0 holds the sizes 0 and 1, bucket b the sizes in (2^(b−1), 2^b]. The kernel moves at most 2^31 − 4096 bytes
/// at once, so the last bucket is never full; larger values are counted in it all the same.
struct SizeHistogram {
  static constexpr uint32_t kBuckets = 34;
  std::array<uint64_t, kBuckets> counts{};

  static constexpr uint32_t bucket_of(uint64_t size) {
    if (size <= 1) return 0;
    const auto bucket = static_cast<uint32_t>(std::bit_width(size - 1));
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }

  void add(uint64_t size, uint64_t operations) { counts[bucket_of(size)] += operations; }

  void merge(const SizeHistogram& other) {
    for (uint32_t b = 0; b < kBuckets; ++b) counts[b] += other.counts[b];
  }

  uint64_t total() const {
    uint64_t sum = 0;
    for (uint64_t count : counts) sum += count;
    return sum;
  }

  bool operator==(const SizeHistogram&) const = default;
};

}  // namespace headrace::model
