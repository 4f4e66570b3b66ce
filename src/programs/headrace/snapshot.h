// `headrace snapshot`: what a job has done so far, in a log of its own, while the job runs.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Returns the exit status.
int snapshot(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
