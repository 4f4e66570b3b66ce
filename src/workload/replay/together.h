// Where ranks act together: files that they open with MPI-IO, and collective operations. Internal to replay.
#pragma once
#include <set>

#include "workload/replay/plan.h"

namespace headrace::workload::replay {

/// Paths whose calls of MPI-IO can be done again, with Plan::groups and openings. Those that cannot are told in
/// Plan::remarks.
std::set<uint32_t> files_opened_together(const Recording& job, Plan& plan);

/// Lets ranks meet behind collective calls of MPI-IO that are replayed by what lies below them: what one rank wrote for
/// others must be there when they go on.
void add_meetings_in_files(Recording& job, const Plan& plan, const std::set<uint32_t>& together);

/// Leaves those collective operations in the recording that all ranks took part in, and joins what is left so that all
/// ranks have equally many. Says how many there are.
uint64_t keep_common_meetings(Recording& job, Plan& plan);

/// Whether all ranks would come to their ends, if each waits where it acts with others.
bool comes_to_an_end(const Recording& job, const Plan& plan);

}  // namespace headrace::workload::replay
