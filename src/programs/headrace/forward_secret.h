// `headrace forward secret`: gets a job's secret from one of its servers, by MUNGE.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// The words after "secret"; returns the exit status.
int forward_secret(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
