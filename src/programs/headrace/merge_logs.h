// Logs of parts of a job, as of its nodes, become one.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::programs {

/// Whether `path` is a file that holds a log, rather than a directory of records.
bool is_log_file(const std::string& path);

/// The earliest start of the jobs in `logs`, ns of the real-time clock; UINT64_MAX of none.
base::Result<uint64_t> earliest_start(const std::vector<std::string>& logs);

/// Makes `output` a log with everything of `logs`, whose times then count from `start_utc_ns`. What one of them says of
/// the whole job becomes what a part of it says (capture/harvest/shared_log.h); the description is that of the one that
/// began first. `complete`: what to say of the whole instead, unless a part is damaged. kInvalid: two of them tell of
/// the same process, are without names, or `output` is one of them.
base::Status merge_logs(const std::vector<std::string>& logs, const std::string& output, uint64_t start_utc_ns,
                        const std::string& complete = "");

}  // namespace headrace::programs
