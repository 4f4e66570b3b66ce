// What the site tells about nodes.
#pragma once
#include <string>

#include "capture/harvest/job_log.h"

namespace headrace::programs {

/// Gives the log the description of I/O nodes in the file `setting`, or that which HEADRACE_TOPOLOGY names. A file
/// that is wrong is said and left out: it is no reason not to run a program.
void describe_nodes(const std::string& setting, capture::JobLog& log);

}  // namespace headrace::programs
