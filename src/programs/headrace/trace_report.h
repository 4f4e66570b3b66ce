// What is said at the end about a trace that is not where it should be, or has not all.
#pragma once
#include <string>

#include "capture/harvest/job_log.h"

namespace headrace::programs {

/// Says where the trace of a log that was just closed is, as far as that is not beside the log as it was asked for, and
/// what it lacks. `moved_to`: where the log and what was beside it are now; empty: where they were written.
void say_of_trace(const capture::JobLog& log, const std::string& moved_to = "");

}  // namespace headrace::programs
