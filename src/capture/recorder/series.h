// Bandwidth and operations over time: sums in a fixed number of bins, which double in width when time runs past the
// last one.
#pragma once
#include "capture/phase_layout.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {

inline constexpr uint32_t kOther = 2, kMessages = 3;  // of SeriesBin::operations, besides the directions

/// Adds bytes to the series of the phases that are open. Inside a section.
__attribute__((noinline)) void add_to_phases(ThreadBlock* block, uint64_t from, uint64_t to, uint64_t bytes, Flow flow);
/// Spreads bytes over the bins between two times.
void spread_over_bins(PhaseSeries& series, uint64_t from, uint64_t to, uint64_t bytes, Flow flow);
/// What messages moved: like add_to_series, but for calls that are profiled elsewhere.
void add_messages(ThreadBlock* block, uint64_t from, uint64_t to, uint64_t bytes);

/// Doubles the width as often as needed, then spreads `bytes` over the bins between two times. Inside a section.
/// `what`: a DirectionIndex, kMessages, or kOther with no bytes.
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
  if (HEADRACE_UNLIKELY(state.stretch.load(std::memory_order_relaxed) != 0) && what < kOther && bytes != 0)
    add_to_phases(block, from, to, bytes, static_cast<Flow>(what));
}

}  // namespace headrace::capture
