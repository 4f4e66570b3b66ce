#pragma once
// A trace from afar: what locations spent their time with and moved, in cells of time × locations.
//
//   HEADRACE_ASSIGN(const Overview seen, overview(trace, {.columns = 200, .rows = 50}));
//
// Reads the heads of the chunks that the range touches, with their summaries (docs/formats/event-chunk.md), and decodes
// events only where columns are narrower than the summaries' bins. Cells that hold whole chunks are exact.

#include <array>
#include <cstdint>
#include <vector>

#include "events/trace_reader.h"

namespace headrace::events {

struct OverviewQuery {
  uint64_t begin_at_ns = 0;
  uint64_t end_at_ns = 0;  // behind it; 0: the trace's whole time
  uint32_t columns = 0;
  uint32_t rows = 0;                          // at most: there are no more than locations
  std::vector<uint32_t> locations = {};       // in TraceReader::locations(); none: all
  std::vector<uint32_t> first = {};           // where rows begin in `locations`, and its size; none: all alike
  uint64_t most_decoded = uint64_t{1} << 24;  // events; a picture that needs more is made of summaries alone
  unsigned threads = 0;                       // 0: as many as there are processors, at most 4
};

inline constexpr uint32_t kPlanes = model::kTimeClasses + 2;  // ns by class, bytes read, bytes written
inline constexpr uint32_t kReadPlane = model::kTimeClasses, kWrittenPlane = kReadPlane + 1;
inline constexpr uint64_t kMostCells = uint64_t{1} << 23;  // 80 bytes each

struct Overview {
  uint64_t begin_at_ns = 0, end_at_ns = 0;
  uint32_t columns = 0, rows = 0;
  /// Row r has the locations [first[r], first[r + 1]) of those that were asked for.
  std::vector<uint32_t> first = {};
  /// Of column c in row r at [r × columns + c]. Time is told between the first and the last event of a location, each
  /// moment in what it was innermost in, but not where chunks are missing or cannot be read.
  std::array<std::vector<uint64_t>, kPlanes> planes = {};
  /// Sums of a cell are off by what belongs to the bins that its two edges cut, each at most this long; 0: exact.
  /// Within bins, time is told to a 255th part of them.
  uint64_t precision_ns = 0;
  uint64_t chunks = 0;          // that the range touches
  uint64_t decoded_chunks = 0;  // of them
  uint64_t unread_chunks = 0;   // of them, that cannot be used: TraceReader::damage() has them
};

/// kInvalid: no columns or rows, more cells than kMostCells, an empty range of time, no such location, or rows that
/// do not go on from one another. kIo.
base::Result<Overview> overview(TraceReader& trace, const OverviewQuery& query);

}  // namespace headrace::events
