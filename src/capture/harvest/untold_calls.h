// What roll-ups of many processes count and do not tell apart, said once for the whole job: a row for each process
// would drown what matters.
#pragma once
#include <cstdint>

#include "capture/harvest/log_tables.h"

namespace headrace::capture {

inline void add_untold_calls(LogTables& tables, uint64_t of_excluded_paths) {
  if (of_excluded_paths != 0)
    tables.add_gap(0, {"excluded paths", of_excluded_paths, "calls",
                       "calls that are neither open, read nor write are counted, but not told apart"});
}

}  // namespace headrace::capture
