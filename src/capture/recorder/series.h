// Bandwidth and operations over time: sums in a fixed number of bins, which double in width when time runs past the
// last one.
#pragma once
#include "capture/recorder/spool.h"

namespace headrace::capture {

inline constexpr uint32_t kOther = 2;  // the third of SeriesBin::operations

/// Doubles the width as often as needed, then spreads `bytes` over the bins between two times. Inside a section.
/// `what`: a DirectionIndex, or kOther with no bytes.
HEADRACE_COLD void spread_over_series(ThreadBlock* block, uint64_t from, uint64_t to, uint64_t bytes, uint32_t what);

/// Adds an operation and the bytes that it moved between `from` and `to` (ticks).
HEADRACE_INLINE void add_to_series(ThreadBlock* block, uint64_t from, uint64_t to, uint64_t bytes, uint32_t what) {
  if (HEADRACE_LIKELY(to > from)) block->profiled += to - from;
  // The bin's limits are kept, because computing it from the clock reading would wait for the reading (4 ns).
  if (HEADRACE_LIKELY(from - block->bin_start < block->bin_width && to - block->bin_start < block->bin_width)) {
    SeriesBin& bin = block->series[block->last_bin];
    if (what < kOther) bin.bytes[what] += bytes;
    bin.operations[what]++;
  } else {
    spread_over_series(block, from, to, bytes, what);
  }
}

}  // namespace headrace::capture
