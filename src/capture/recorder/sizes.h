// How many operations of this thread had which size, in bins that are fine enough for a phase's histogram.
#pragma once
#include "capture/recorder/spool.h"

namespace headrace::capture {

HEADRACE_COLD void count_other_size(SizeCursor& cursor, uint64_t size, uint64_t operations);

/// Inside a section.
HEADRACE_INLINE void count_size(ThreadBlock* block, Layer layer, DirectionIndex direction, uint64_t size,
                                uint64_t operations = 1) {
  SizeCursor& cursor = block->sizes[static_cast<uint32_t>(layer)][direction];
  if (HEADRACE_LIKELY(size == cursor.size && cursor.counter != 0))
    *at<uint64_t>(cursor.counter) += operations;
  else
    count_other_size(cursor, size, operations);
}

}  // namespace headrace::capture
