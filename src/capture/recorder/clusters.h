// Clusters of the ranks, asked for by the program while it runs (include/headrace/clusters.h).
#pragma once
#include "headrace/clusters.h"

namespace headrace::capture {

/// Collective over all ranks. `path`: of a phase; null: the whole run. `mine` may be null. Returns a
/// headrace_cluster_result. Preserves errno.
int cluster_phase(const char* path, headrace_cluster* mine);

}  // namespace headrace::capture
