#pragma once
// Job logs in other formats. Throws Failure.

#include <string>

#include "bindings/log.h"

namespace headrace::bindings {

/// Writes a log as "hr" or "darshan"; a file at `output` is replaced.
void convert_log(Log& log, const std::string& format, const std::string& output);

}  // namespace headrace::bindings
