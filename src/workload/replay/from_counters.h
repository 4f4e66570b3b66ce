// A job of which only sums are known, as calls that fit them: as many, of such sizes, as often in a row. Which call
// came when, and where, is made up. Every number of the log is taken for hostile.
#pragma once
#include "base/result.h"
#include "workload/replay/job_tables.h"

namespace headrace::workload::replay {

/// Recording::approximate is set. kNoSpace: the calls do not fit into `memory` bytes.
base::Result<Recording> make_from_counters(const Tables& tables, uint64_t memory);

}  // namespace headrace::workload::replay
