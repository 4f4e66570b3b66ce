// Clusters of the ranks when their program ends: by the figures of the whole run, and by those of each phase, all
// instances together. The same model as on line (rank_clusters.h) and off line, `headrace cluster JOB.hr [--phase P]`.
#pragma once
#include "base/communicator.h"
#include "base/result.h"
#include "capture/harvest/spool_reader.h"
#include "model/clusters.h"

namespace headrace::capture {

/// Of more phases than this, those count that took most time over all ranks.
inline constexpr size_t kPhasesClustered = 32;

/// Collective, in O(log ranks) steps a phase. Each rank learns its own clusters; the statistics of one phase are given
/// to one rank.
base::Result<model::Clusters> cluster_at_end(base::Communicator& ranks, const SpoolContents& mine);

/// Whether what this rank did stays in the log when others stand for those like them.
bool stands_for_itself(const model::Clusters& clusters, uint64_t rank);

}  // namespace headrace::capture
