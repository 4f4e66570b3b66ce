// Clusters of the ranks of a program, by the seconds that each spent in each function: on line what
// python/headrace/analysis/rank_features.py and the off-line command find in a job log.
#pragma once
#include <cstdint>
#include <vector>

#include "base/communicator.h"
#include "base/result.h"
#include "capture/spool_layout.h"
#include "cluster/cluster.h"

namespace headrace::capture {

/// A function's own time, without that in other captured calls below it.
struct FunctionTime {
  uint16_t function = 0;  // as in Profile
  uint64_t own_ns = 0;
};

/// What one rank did in what is to be clustered.
struct RankTimes {
  uint64_t asked = 0;    // what that is; equal at all ranks
  bool missing = false;  // the rank was not in it
  std::vector<FunctionTime> times;
};

struct RankClusters {
  bool different = false;           // ranks asked for different things: nothing was clustered
  uint64_t missing = 0;             // ranks that were not in it; they count as idle
  std::vector<uint16_t> functions;  // the columns, by layer and name; none: nothing was done, nothing was clustered
  std::vector<double> mine;         // this rank's row, in seconds
  cluster::Clustering found;

  bool is_outlier() const { return found.score.at(0) > cluster::kOutlier; }
  /// Seconds by which this rank differs from the one that stands for its cluster, over all functions.
  double distance() const;
};

/// Collective, in O(log ranks) steps: which functions there are, then cluster::cluster() without normalisation, as all
/// columns have one unit.
base::Result<RankClusters> cluster_ranks(base::Communicator& ranks, const RankTimes& mine, uint64_t seed = 1);

}  // namespace headrace::capture
