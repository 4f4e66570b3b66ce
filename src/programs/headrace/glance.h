// What a directory of records is of, told from the first bytes of each spool, before anything is collected.
#pragma once
#include <string>

#include "programs/headrace/job_directory.h"
#include "programs/headrace/scheduler.h"

namespace headrace::programs {

struct Glance {
  std::string program;  // a parallel one, else the user's with most records, no shell; or "collect"
  SchedulerJob job;     // of all processes that have one; several ids are separated by ","
};

Glance glance_at(const JobDirectory& directory);

}  // namespace headrace::programs
