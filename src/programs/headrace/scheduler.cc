#include "programs/headrace/scheduler.h"

#include <stdlib.h>

#include "base/schedulers.h"

namespace headrace::programs {

SchedulerJob scheduler_job() {
  for (const base::SchedulerVariable& each : base::kSchedulers) {
    const char* value = getenv(each.variable);
    if (value != nullptr && *value != '\0') {
      return parse_scheduler_job(std::string(each.scheduler) + " " + value);
    }
  }
  return {};
}

SchedulerJob parse_scheduler_job(const std::string& text) {
  const size_t space = text.find(' ');
  if (space == std::string::npos || space == 0 || text.size() > base::kLongestSchedulerJob) return {};
  return {text.substr(0, space), text.substr(space + 1)};
}

void add_scheduler_facts(const SchedulerJob& job, std::map<std::string, std::string>* facts) {
  if (job.scheduler.empty()) return;
  (*facts)["scheduler"] = job.scheduler;
  (*facts)["scheduler_job"] = job.id;
}

}  // namespace headrace::programs
