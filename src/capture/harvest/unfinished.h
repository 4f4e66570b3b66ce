// What a launcher that was killed in the middle of writing leaves in a log: rows of processes that it did not come to
// name. Their spools are still there and give the rows again.
#pragma once
#include <string>

#include "base/result.h"

namespace headrace::capture {

/// Cuts the log at `path` before the rows that belong to no process chunk behind them: a flush writes the processes
/// last (log_tables.cc). A log with an index, or that cannot be read, stays as it is. Only for one that is to be
/// appended to.
base::Status drop_unfinished_rows(const std::string& path);

}  // namespace headrace::capture
