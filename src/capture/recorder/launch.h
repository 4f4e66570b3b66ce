// Which parallel launch this process belongs to, as whoever started it tells.
#pragma once
#include <cstdint>

namespace headrace::capture {

struct Launch {
  uint64_t id = 0;     // equal at all ranks of one launch, on all its nodes, and at no others; never 0
  bool known = false;  // false: the id is only a guess, good enough to tell ranks of one node that share a parent
  int rank = -1;       // -1, 0: not told
  int ranks = 0;

  /// Whether this process is one of several that were started together and can find each other.
  bool is_parallel() const { return known && rank >= 0 && ranks > 1; }
};

/// Reads PMIX_NAMESPACE, PMI_JOBID and their like, SLURM_JOB_ID with SLURM_STEP_ID, or what the Hydra process manager
/// of MPICH says of itself. Allocates nothing; makes no call that is captured. `environ` must not change meanwhile.
Launch launch_of_environment();

}  // namespace headrace::capture
