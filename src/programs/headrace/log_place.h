// Where a log goes that nobody named: the working directory, or the site's log directory with a directory for each day.
//
// DIRECTORY/2026/11/5/USER_PROGRAM_JOB-HHMMSS-HOST-PID.hr; days are those of local time, months and days without
// leading zeros, as Darshan has them. Day directories belong to the administrator and have mode 1777: everybody may add
// files, nobody may remove another's.
#pragma once
#include <sys/types.h>
#include <time.h>

#include <string>

#include "base/result.h"
#include "programs/headrace/scheduler.h"
#include "programs/headrace/settings.h"

namespace headrace::programs {

/// What a log is named after.
struct LogName {
  std::string program;
  SchedulerJob job;
  bool anonymous = false;  // then none of it may show
  std::string identity;    // of a launch whose ranks all write it: takes the place of what differs between them
};

/// An absolute path that did not exist a moment ago, or with an identity the same for all of them. Makes the day's
/// directory where that is missing and may be made.
std::string default_log_path(const RunSettings& site, const LogName& name);

/// The directory of the day that `when` lies in.
std::string day_directory(const std::string& log_directory, time_t when);

/// Makes the day's directory, and those above it below `log_directory`, which must exist: the day with mode 1777, the
/// others as `log_directory` itself. Set-group-id is inherited. kIo: it cannot be made.
base::Status make_day_directory(const std::string& log_directory, time_t when);

/// Permissions of a log in the site's directory while it is written (its owner may go on writing) and when it is
/// complete; 0: it is elsewhere, and the user's umask decides.
mode_t mode_in_progress(const RunSettings& site, const std::string& log);
mode_t mode_when_complete(const RunSettings& site, const std::string& log);

}  // namespace headrace::programs
