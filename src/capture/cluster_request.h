// What the recorder asks of libheadrace-finalize.so while a parallel program runs: clusters of its ranks, by what each
// did in a phase (include/headrace/clusters.h).
#pragma once
#include <cstdint>

#include "capture/mpi_access.h"
#include "capture/phase_layout.h"
#include "headrace/clusters.h"

namespace headrace::capture {

struct ClusterRequest {
  uint32_t version;  // kFinalizeVersion
  uint32_t has_phase;
  MpiAccess mpi;
  const Header* header;      // of the spool, for its clock
  uint64_t asked, instance;  // a hash of the phase's path; which time this rank was in it
  const FunctionSum* sums;   // what it did then
  uint32_t count;
};

/// int headrace_cluster(const ClusterRequest*, headrace_cluster*). Returns a headrace_cluster_result.
inline constexpr char kClusterFunction[] = "headrace_cluster_ranks";
using ClusterFunction = int (*)(const ClusterRequest*, headrace_cluster*);

}  // namespace headrace::capture
