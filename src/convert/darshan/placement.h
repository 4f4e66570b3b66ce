#pragma once
// Darshan's ten ranges of sizes as the powers of two of a job log.

#include <array>
#include <cstdint>
#include <span>

#include "model/file_record.h"

namespace headrace::convert::darshan {

inline constexpr size_t kRanges = 10;

/// Number of the range that an operation of this size counts in.
size_t range_of(uint64_t size);
/// The greatest size of a range; of the last, which has none, 2^31.
uint64_t range_end(size_t range);

struct CommonAccess {
  int64_t size = 0, count = 0;  // reads and writes together
};

/// Fills sizes and common sizes of `record`. Operations whose size is one of the common ones stand where it belongs, if
/// the ranges leave no doubt whether they were reads or writes; the others in the bucket that holds the end of their
/// range. Gives how many those are.
uint64_t place_sizes(const std::array<std::array<uint64_t, kRanges>, 2>& ranges, std::span<const CommonAccess> common,
                     model::FileRecord& record);

}  // namespace headrace::convert::darshan
