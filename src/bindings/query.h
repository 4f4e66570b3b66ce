#pragma once
// Sums that the terminal and the reports show, computed without making Python objects of every row. Pure functions.

#include <array>
#include <cstdint>
#include <functional>
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

/// Calls `use` with (record, 0 for reads or 1 for writes, bytes, operations) for each row of `common` that is of sizes.
void for_each_common_size(const format::Table& common,
                          const std::function<void(uint64_t, uint32_t, int64_t, uint64_t)>& use);

/// What was done over time, in equal spans: [0] of reads, [1] of writes, [2] of all other calls (which move no bytes).
struct Rate {
  std::array<std::vector<double>, 3> bytes;
  std::array<std::vector<double>, 3> operations;  // empty when the log does not say
};

/// The series of all processes, or of some, spread over `bins` equal spans of [begin, end).
Rate rate(const format::Table& series, const std::vector<uint64_t>& processes, uint64_t bins, uint64_t begin_at_ns,
          uint64_t end_at_ns);

/// The series of each of these processes, added up in the line that it belongs to: [0] bytes read, [1] bytes written,
/// [2] calls, each of `lines` times `bins` values, line by line. The bins are those of [begin, end).
std::array<std::vector<double>, 3> rate_lines(const format::Table& series, const std::vector<uint64_t>& processes,
                                              const std::vector<uint32_t>& line_of, uint32_t lines, uint64_t bins,
                                              uint64_t end_at_ns, uint64_t begin_at_ns = 0);

/// The width of the narrowest span that the series has; 0 when it has none.
uint64_t narrowest_span_ns(const format::Table& series);

/// All rows of the series on files whose spans are so wide.
struct SeriesWidth {
  uint64_t width_ns, begin_at_ns, end_at_ns;  // the begin of the first of these spans, the end of the last
  uint64_t bytes, operations;
};
/// The narrowest first.
std::vector<SeriesWidth> series_widths(const format::Table& series);

}  // namespace headrace::bindings
