// What a launcher that was killed in the middle of writing leaves in a log: rows of processes that it did not come to
// name. Their spools are still there and give the rows again.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace headrace::capture {

/// Takes out of the log at `path` the rows of `producer` that belong to no process chunk of its own behind them: a
/// flush writes the processes last (log_tables.cc). What stands at the end is cut off; what others have written behind
/// makes it an empty place that readers pass over. Only when that producer writes no more, and the log is to be
/// appended to.
base::Status drop_unfinished_rows(const std::string& path, uint64_t producer);

}  // namespace headrace::capture
