// Runs: consecutive operations of equal size and equal gap are one count, so that most operations touch one cache line.
#pragma once
#include "capture/recorder/update.h"

namespace headrace::capture {

/// Counts an operation that does not continue the current run: ends the run, or counts a zero-sized operation, and
/// begins the next one. `offset_known` false: the gap is kUnknownGap whatever `gap` says. Killed half-way, the journal
/// puts the words back. Inside a section.
HEADRACE_COLD void end_run(Direction* direction, uint64_t size, int64_t gap, bool offset_known);

/// Counts an operation that failed. Inside a section.
void count_error(Direction* direction);

/// Bytes counted so far.
uint64_t bytes_of(const Direction& direction);

/// Adds everything of `from` to `to`, whose Detail must exist. Used by folds.
void add_direction(Direction* to, const Direction& from);

}  // namespace headrace::capture
