#pragma once
// The table `files` of a report (docs/formats/report-payload.md), packed as the page takes it. Pure functions.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/frame.h"
#include "bindings/packed.h"
#include "format/columns.h"

namespace headrace::bindings {

/// "consecutive", "forward", "backward" or "random", from how many operations began where the previous one of the
/// thread ended, beyond, and before: a word when nine tenths agree, "forward" also when they are consecutive or
/// forward, "random" when they do not; empty when there was nothing to compare.
std::string_view access_pattern(uint64_t consecutive, uint64_t forward, uint64_t backward);

struct FileTable {
  uint64_t rows = 0;
  std::vector<PackedColumn> columns;
  std::vector<uint64_t> chosen;  // row of `topmost` behind each row
  struct LeftOut {
    uint64_t files = 0;
    double bytes_read = 0, bytes_written = 0, time_ns = 0, calls = 0;
  } left_out;
};

/// Operations of one kind from one stack, over all records; and for each row the sum of its open.
struct SiteSums {
  static constexpr uint32_t kNone = 0xffffffff;
  struct Sum {
    std::string what;
    uint64_t stack = 0, records = 0, time_ns = 0, bytes = 0;
  };
  std::vector<Sum> sums;
  std::vector<uint32_t> opens;  // by row: index into sums, or kNone; of several the first in the order of the log
};

/// Of the table `sites` of a log; `chosen` are rows of `topmost`, and the frames those of file_table.
SiteSums site_sums(const Frame& topmost, const Frame& system, const std::vector<uint64_t>& chosen,
                   const format::Table& sites);

/// Records of each file's topmost layer merged by path (topmost.h): the `most` that matter, taken in turn from the
/// greatest by time, by bytes and by calls; the sums of the rest. Most time first, ties in the frame's order. How the
/// file was used (order, sizes, alignment, flags, moments) is told by `system`, the records of posix and stdio merged
/// by path, where these have it. `common` and `mounts` are those tables of the log.
FileTable file_table(const Frame& topmost, const Frame& system, const format::Table& common,
                     const format::Table& mounts, uint64_t most);

}  // namespace headrace::bindings
