// Texts of Lustre's statistics: `stats`, `md_stats` and `job_stats` of obdfilter, mdt and llite
// (Lustre Operations Manual, "Monitoring a Lustre File System" and "Lustre Jobstats"; wiki.lustre.org, "Lustre
// Monitoring and Statistics Guide"). Whatever they hold, reading ends and stays inside them.
#pragma once
#include <string>
#include <string_view>

#include "collect/devices/counters.h"

namespace headrace::collect {

/// "read_bytes 12 samples [bytes] 4096 1048576 8392704": operations that it does not know are in no counter.
/// Returns how many lines are not of this form. Times are known where the server counts them, as of `read` in usecs.
uint64_t parse_lustre_stats(std::string_view text, Counters& counters);

/// Adds the jobs to `look`; lines that are not of the form count as garbled there, and the look is not whole then.
void parse_job_stats(std::string_view text, const std::string& device, Look& look);

}  // namespace headrace::collect
