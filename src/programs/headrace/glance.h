// What a directory of records is of, told from the first bytes of each spool, before anything is collected.
#pragma once
#include <map>
#include <string>

#include "capture/harvest/clock_map.h"
#include "programs/headrace/job_directory.h"
#include "programs/headrace/scheduler.h"

namespace headrace::programs {

struct Glance {
  capture::Moment start;  // of the job: the launcher's, or when the first of the processes began
  std::string program;    // a parallel one, else the user's with most records, no shell; or "collect"
  SchedulerJob job;       // of all processes that have one; several ids are separated by ","
};

Glance glance_at(const JobDirectory& directory, const std::map<std::string, std::string>& facts);

}  // namespace headrace::programs
