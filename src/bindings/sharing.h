#pragma once
// File records of a log in which some stand for several ranks, as they would be if none did. Pure functions.

#include <string_view>

#include "bindings/merge.h"
#include "bindings/shared_records.h"

namespace headrace::bindings {

/// The selected rows of `files`, for merging them by process or those of some processes. Records that stand for ranks
/// whose shares the log has are replaced by these shares: sums without sizes, flags and moments. Such a row
/// has record 0 and two more columns, `more_files` (files that it is about and its path, if it has one, does not name)
/// and `more_calls` (calls that neither read nor write). By process it is one row for each process, kind and layer.
SharedTable each_rank_alone(const RecordTables& tables, std::string_view by, const Selection& selection);

/// Sets the column `processes` of merged records, so that one that stands for several ranks counts as these.
void count_processes(Frame& merged, const RecordTables& tables);

}  // namespace headrace::bindings
