#pragma once
// Job logs in other formats. Throws Failure.

#include <string>

#include "bindings/log.h"
#include "convert/darshan/to_trace.h"
#include "convert/darshan/write.h"

namespace headrace::bindings {

/// Writes a log as "hr" or "darshan"; a file at `output` is replaced. Returns what the format has no place for.
convert::darshan::LeftOut convert_log(Log& log, const std::string& format, const std::string& output);

/// Writes the traced operations of a log as a trace; a file at `output` is replaced.
convert::darshan::Traced convert_to_trace(Log& log, const std::string& output);

}  // namespace headrace::bindings
