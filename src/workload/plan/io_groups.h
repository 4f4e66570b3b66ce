// Groups of ranks that write by one of them, their leader.
//
// The paper on pF3D (section III) tells of contiguous, uniform and BlueGene aware groups of pF3D without the rules of
// the second; here:
// - contiguous: so many consecutive ranks each, the last group has what is left;
// - uniform: as many groups of consecutive ranks, as even as can be. Where I/O nodes are known, each group takes a
//   leader from that one of its I/O nodes that serves the fewest leaders;
// - topology-aware: every I/O node has the same number of groups, each of ranks that it serves.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "workload/plan/psets.h"

namespace headrace::workload {

struct IoGroups {
  std::vector<uint32_t> group;            // of each rank
  std::vector<int> leader;                // of each group; one of its members
  std::vector<std::vector<int>> members;  // of each group, ascending
};

enum class Grouping { kContiguous, kUniform, kTopologyAware };
enum class Choice { kFirst, kLast, kRandom };  // of a leader, among the members that may be it

struct GroupSettings {
  Grouping grouping = Grouping::kContiguous;
  int size = 1;  // of a group, at most
  Choice leader = Choice::kFirst;
  int ranks = 1;
  uint64_t seed = 0;
};

/// kInvalid: topology-aware groups without I/O nodes, or with one that has fewer ranks than groups.
base::Result<IoGroups> make_groups(const GroupSettings& settings, const Psets& psets);

}  // namespace headrace::workload
