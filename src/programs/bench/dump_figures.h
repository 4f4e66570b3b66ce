// What those who tune dumps look at: times of members and leaders, and how I/O nodes are loaded.
#pragma once
#include "programs/bench/options.h"
#include "workload/plan/dump.h"

namespace headrace::programs {

/// "collecting_seconds" and "supervising_seconds": of each dump the spread over ranks; "block_writes" of each;
/// "io_nodes" and "io_node_load", which follow from the plan, where I/O nodes are known.
std::vector<Figure> dump_figures(const workload::DumpSettings& settings, const MeasuredPhases& phases);

}  // namespace headrace::programs
