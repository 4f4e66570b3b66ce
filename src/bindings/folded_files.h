#pragma once
// Files that capture folded into roll-ups, each counted once: processes fold the same ones. Pure functions.

#include <cstdint>

#include "bindings/decode.h"
#include "bindings/frame.h"
#include "format/columns.h"

namespace headrace::bindings {

/// How well a number of files is known: kAtMost where processes may have folded the same ones.
enum class Certainty : uint8_t { kCounted, kEstimated, kAtMost };

/// Corrects `folded_files` of a frame that merges records, where it adds up what each record says. Where records have a
/// sketch of the names (model/distinct_names.h), each file counts once, and not if it is among `plain_files`. Other
/// records count as they say. Adds a column `folded_certainty`. `merged` is the table that was
/// merged, `files` the one of the log, whose paths have the ids of `names`; `properties` is the log's.
void count_folded_once(Frame& frame, const SharedTable& merged, const SharedTable& files,
                       const SharedTable& properties);

}  // namespace headrace::bindings
