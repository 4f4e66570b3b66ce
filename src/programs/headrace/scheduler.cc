#include "programs/headrace/scheduler.h"

#include <stdlib.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/schedulers.h"
#include "capture/recorder/target.h"

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

bool may_have_other_nodes(const std::vector<std::string>& command) {
  constexpr std::string_view kNamesHosts[] = {"-H",        "-f",         "-host",        "--host",       "-hosts",
                                              "-hostfile", "--hostfile", "-machinefile", "--machinefile"};
  const char* nodes = getenv("SLURM_JOB_NUM_NODES");
  if (!scheduler_job().scheduler.empty() && (nodes == nullptr || std::string_view(nodes) != "1")) return true;
  const auto names_hosts = [&](const std::string& word) {
    return std::find(std::begin(kNamesHosts), std::end(kNamesHosts), word) != std::end(kNamesHosts);
  };
  return !command.empty() && capture::starts_ranks(command[0].c_str()) &&
         std::any_of(command.begin() + 1, command.end(), names_hosts);
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
