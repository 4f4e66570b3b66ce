// From the recorder's compact blocks to the counters of a file record. Pure functions on values.
//
// Durations and times stay ticks until convert_times().
#pragma once
#include <cstdint>

#include "capture/harvest/clock_map.h"
#include "capture/spool_layout.h"
#include "model/file_record.h"

namespace headrace::capture {

/// What a log calls it.
model::FileKind kind_of(RecordKind kind);

/// Adds one direction of one shard; `detail` is null while the shard has none. False: the figures contradict each
/// other, so the memory was scribbled over; what could be added was.
bool add_direction(model::FileRecord& record, uint32_t direction, const Direction& figures, const Detail* detail);

void add_metadata(model::FileRecord& record, const Metadata& counts);
/// Where calls of a kind are counted.
model::counter::Index counter_of(Metadata::Count which);
void add_library(model::FileRecord& record, const LibraryCounts& counts);
void add_shard(model::FileRecord& record, const Shard& shard);

/// Once, after the last addition: ticks become nanoseconds.
void convert_times(model::FileRecord& record, const ClockMap& clock);

}  // namespace headrace::capture
