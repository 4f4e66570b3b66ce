#pragma once
// Sums that the terminal and the reports show, computed without making Python objects of every row. Pure functions.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/decode.h"
#include "model/size_histogram.h"

namespace headrace::bindings {

/// Operations by size of all records in `records` (ascending ids), [0] of reads and [1] of writes.
std::array<model::SizeHistogram, 2> size_histogram(const format::Table& sizes, const std::vector<uint64_t>& records);

struct CommonRow {
  uint64_t group;      // index of the group of records
  uint32_t direction;  // 0 read, 1 write
  bool stride;         // else size
  int64_t value;       // bytes
  uint64_t count;
  bool exact;
};

/// The common values of each group of records, equal values added up, the most frequent first.
std::vector<CommonRow> common_values(const format::Table& common, const std::vector<std::vector<uint64_t>>& groups);

struct Bandwidth {
  uint64_t begin_at_ns = 0, end_at_ns = 0;
  std::array<std::vector<double>, 2> bytes;  // [0] read, [1] written, in each of the equal spans
};

/// The series of all processes, or of some, spread over `bins` equal spans of [begin, end).
Bandwidth bandwidth(const format::Table& series, const std::vector<uint64_t>& processes, uint64_t bins,
                    uint64_t begin_at_ns, uint64_t end_at_ns);

}  // namespace headrace::bindings
