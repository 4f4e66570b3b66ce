// Makes the trace of a job, or goes on in it.
//
// Several may do so at a time: launchers of one job, and flushers of its processes.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/result.h"
#include "capture/harvest/clock_map.h"
#include "capture/harvest/log_output.h"
#include "format/sink.h"

namespace headrace::capture {

/// What is at a place, if it is a trace.
struct FoundTrace {
  bool is_trace = false;
  std::optional<uint64_t> job;                     // its id, if it is of this job
  std::set<std::pair<uint64_t, uint32_t>> stored;  // processes and threads that are in it with all they did
};
FoundTrace look_at_trace(const std::string& path, const std::string& identity, uint64_t start_utc_ns);

void put_trace_aside(const std::string& path);

/// What a trace has on disk so far, with its other files; 0: there is none.
uint64_t bytes_of_trace(const std::string& path);

struct OpenedTrace {
  std::string path;
  uint64_t job = 0;
  std::unique_ptr<format::Sink> sink;
  std::set<std::pair<uint64_t, uint32_t>> stored;
};

/// The trace of `log` at `path`. One of an earlier job there is kept as FILE.old; one of this job is gone on with.
/// Where it cannot be begun nothing is left. kInvalid: another file has its name. kIo, kNoSpace.
base::Result<OpenedTrace> open_trace(const std::string& path, LogOutput& log, const Moment& start);

}  // namespace headrace::capture
