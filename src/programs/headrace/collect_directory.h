// One directory of records becomes a log, or a part of one.
#pragma once
#include <string>

#include "capture/harvest/clock_map.h"
#include "programs/headrace/job_directory.h"
#include "programs/headrace/options.h"

namespace headrace::programs {

/// Collects `directory` into the log `into`, which is there already, or unless that is "" into the one that the job is
/// to have. Says how it went; false when something is left that should not be.
bool collect_directory(JobDirectory& directory, const CollectSettings& settings, const std::string& into);

/// When the job of `directory` began: its launcher's start, or when the first of the processes began.
capture::Moment start_of(const JobDirectory& directory);

}  // namespace headrace::programs
