// Bandwidth over time: bytes in a fixed number of bins, which double in width when time runs past the last one.
#pragma once
#include "capture/recorder/spool.h"

namespace headrace::capture {

/// Doubles the width as often as needed, then spreads `bytes` over the bins between two times. Inside a section.
HEADRACE_COLD void spread_over_series(ThreadBlock* block, uint64_t from, uint64_t to, uint64_t bytes,
                                      DirectionIndex direction);

/// Adds bytes that moved between `from` and `to` (ticks).
HEADRACE_INLINE void add_to_series(ThreadBlock* block, uint64_t from, uint64_t to, uint64_t bytes,
                                   DirectionIndex direction) {
  // The bin's limits are kept, because computing it from the clock reading would wait for the reading (4 ns).
  if (HEADRACE_LIKELY(from - block->bin_start < block->bin_width && to - block->bin_start < block->bin_width))
    block->series[block->last_bin][direction] += bytes;
  else
    spread_over_series(block, from, to, bytes, direction);
}

}  // namespace headrace::capture
