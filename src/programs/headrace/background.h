// Completes a log after the command has ended, for processes of the job that live on.
#pragma once
#include "capture/harvest/harvester.h"
#include "programs/headrace/job_directory.h"

namespace headrace::programs {

/// Leaves a process of its own behind (own session, no descriptor but those it needs, no output) that harvests
/// `harvester`'s spools as they end, appends to the closed log of `log`, and removes `directory` at last. Returns in
/// the caller, which must not touch the directory any more; false when no process could be made. `part`: prefix of the
/// facts of this part of the log, "" when it is all of one launcher. `command_end_utc_ns`: the job ended no earlier.
bool collect_in_background(capture::JobLog& log, capture::Harvester& harvester, JobDirectory& directory,
                           const std::string& part, uint64_t command_end_utc_ns);

}  // namespace headrace::programs
