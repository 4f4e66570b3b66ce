// Which of a job's calls are replayed. Internal to replay.
#pragma once
#include <set>

#include "workload/replay/plan.h"

namespace headrace::workload::replay {

/// Fills Plan::ranks. kInvalid: so many ranks do not fit.
base::Status choose_processes(const Recording& job, const PlanOptions& options, Plan& plan);

/// Fills Plan::fates, left_out and below. `together`: paths whose calls of MPI-IO are replayed; of all others it is
/// what these made.
void choose_calls(const Recording& job, const std::set<uint32_t>& together, bool meets, Plan& plan);

/// Whether it is the path of a file or directory, as far as anybody knows.
bool is_file(const Recording& job, uint64_t process, const std::string& path);

}  // namespace headrace::workload::replay
