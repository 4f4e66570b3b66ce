// Finds and reads what is known of a job: its trace, and its log.
#pragma once
#include <string>

#include "base/result.h"
#include "workload/replay/job_tables.h"
#include "workload/replay/recording.h"

namespace headrace::workload::replay {

/// `path`: a job log with a trace beside it (run.hr and run.trace.hr), or a trace, perhaps with its log; or a log
/// alone, of which sums are known (from_counters.h). Fails as read_trace() and open_log().
base::Result<Recording> read_job(const std::string& path, uint64_t memory);

/// Tables of a job log. Fails as format::Reader::open() does; kInvalid: it has several jobs.
base::Result<Tables> open_log(const std::string& path);

}  // namespace headrace::workload::replay
