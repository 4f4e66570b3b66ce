// Where the trace of a job lies.
#pragma once
#include <string>

namespace headrace::capture {

/// "job.trace.hr" of the log "job.hr".
inline std::string trace_path(const std::string& log) {
  const bool named = log.size() > 3 && log.ends_with(".hr");
  return (named ? log.substr(0, log.size() - 3) : log) + ".trace.hr";
}

}  // namespace headrace::capture
