// What ranks did that others stand for, in sums: functions, bytes over time, phases, gaps. Their files are merged on
// another way (butterfly.h).
#pragma once
#include "capture/harvest/log_tables.h"
#include "capture/harvest/spool_reader.h"
#include "capture/reduce/named_sums.h"

namespace headrace::capture {

/// Whether a rank keeps this row, so that what it spent in messages is known: so it does of its files in `shares`.
bool stays_with_rank(const model::Profile& profile);

/// `width_ns`: of the spans of the series; no bin of any rank is wider. Instances of phases are left out.
NamedSums sums_of(const SpoolContents& contents, uint64_t width_ns);

/// The widest span of the rank's series.
uint64_t widest_span(const SpoolContents& contents);

/// Adds the rows: of `process`, which stands for the ranks.
void add_sums(LogTables& tables, uint64_t process, const NamedSums& sums, uint64_t width_ns);

}  // namespace headrace::capture
