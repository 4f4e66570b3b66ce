// What is known of the ranks of a program once they have clustered themselves: which kind of behaviour each shows, in
// the whole run or in a phase.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace headrace::model {

/// Of one rank.
struct ClusterMember {
  std::string phase;  // such as "step/dump"; empty: the whole run
  uint64_t cluster = 0;
  uint64_t representative = 0;  // the rank that stands for it
  bool outlier = false;         // like no other
  bool missing = false;         // the rank never was in the phase, and counts as idle
  bool kept = true;             // its records are in the log; else the representative stands for it
};

/// Seconds in one function over the members of a cluster that are no outliers.
struct ClusterFeature {
  std::string layer, function;
  double mean = 0, variance = 0, least = 0, most = 0;  // NaN: it has no such members
};

struct ClusterStats {
  std::string phase;
  uint64_t cluster = 0;
  uint64_t ranks = 0, outliers = 0;  // members that are none; outliers that it is nearest to
  uint64_t representative = 0;
  std::vector<ClusterFeature> features;
};

struct Clusters {
  std::vector<ClusterMember> of_rank;
  std::vector<ClusterStats> stats;  // those that this rank stores: every cluster's are stored by one
  uint64_t phases_left_out = 0;     // by all ranks, told by one: more phases than are clustered

  bool empty() const { return of_rank.empty() && stats.empty() && phases_left_out == 0; }
};

}  // namespace headrace::model
