#pragma once
// Files that capture folded into roll-ups, each counted once: processes fold the same ones. Pure functions.

#include <cstdint>

#include "bindings/decode.h"
#include "bindings/frame.h"
#include "format/columns.h"

namespace headrace::bindings {

/// How well a number of files is known: kAtMost where processes may have folded the same ones.
enum class Certainty : uint8_t { kCounted, kEstimated, kAtMost };

/// Corrects `folded_files` of a frame that merges records, which adds up what each record says. Where records have a
/// sketch of the names (model/distinct_names.h) the column becomes how many files the row stands for beside its
/// `plain_files`; without one they count as they say. Adds a column `folded_certainty`. `merged` is the table that was
/// merged, `files` the one of the log, whose paths have the ids of `names`; `properties` is the log's.
void count_folded_once(Frame& frame, const SharedTable& merged, const SharedTable& files,
                       const SharedTable& properties);

}  // namespace headrace::bindings
