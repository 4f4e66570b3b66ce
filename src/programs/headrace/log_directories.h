// `headrace make-log-directories`: the directories of a site's logs, made ahead of time.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Returns the exit status.
int make_log_directories(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
