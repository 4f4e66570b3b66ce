// The batch job that this process runs in, as its scheduler tells it in the environment.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace headrace::programs {

struct SchedulerJob {
  std::string scheduler;  // slurm, pbs, lsf, …; "" = there is none
  std::string id;         // as the scheduler writes it
};

SchedulerJob scheduler_job();
/// Whether `command` may start processes on other nodes: no scheduler but Slurm says that its job has one; and without
/// one, whoever starts ranks is given the hosts.
bool may_have_other_nodes(const std::vector<std::string>& command);
/// The same from what the recorder kept, "slurm 4711"; nothing where that makes no sense.
SchedulerJob parse_scheduler_job(const std::string& text);
/// Adds `scheduler` and `scheduler_job` to the facts of a log, if there is one.
void add_scheduler_facts(const SchedulerJob& job, std::map<std::string, std::string>* facts);

}  // namespace headrace::programs
