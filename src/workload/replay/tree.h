// Where the files of a replayed job are: below the run's own directory, each at the path that it had in the job. What
// the job had is never touched.
//
// Names come from logs, which are hostile: no name leads out of the directory, and none is followed that is a link.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/replay/plan.h"

namespace headrace::workload::replay {

/// The name of a job's path below the run's directory, without a slash in front.
std::string name_below(const std::string& path);

/// Makes what the job found, with `rank` of `ranks` writing its share of the files; all of them make all directories.
/// `stopped`: asked now and then.
base::Status prepare_tree(const std::string& root, const Recording& job, const Plan& plan, int rank, int ranks,
                          const std::function<bool()>& stopped);

/// Removes all that is in a directory, but not what links in it name. Goes on where something cannot be removed.
void empty_tree(const std::string& root);

}  // namespace headrace::workload::replay
