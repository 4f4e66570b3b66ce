#include "workload/replay/choose.h"

#include <errno.h>

#include <algorithm>
#include <optional>

namespace headrace::workload::replay {
namespace {

using base::Code;
using base::Status;

bool makes_a_name(Action action) {
  return action == Action::kOpen || action == Action::kMakeDirectory || action == Action::kMakeNode ||
         has_two_names(action);
}

/// It failed in a way that can be had again.
bool fails_again(const Call& call, Action action) {
  if (action == Action::kControl) return call.error == ENOTTY;  // what isatty() asks
  if (action == Action::kReadLink && call.error == EINVAL) return true;
  if (action == Action::kMpiOpen || needs_open(action)) return false;
  return call.error == ENOENT || (call.error == EEXIST && makes_a_name(action));
}

/// Why a call that nothing else has made is not replayed; none: it is.
std::optional<std::string> reason_not_to(const Recording& job, const Process& process, const Call& call) {
  const Function& function = job.functions[call.function];
  const std::string& path = job.paths[call.path];
  if (call.of_mpi) return kMadeByMpi;
  if (!call.ended) return "without an end in the trace";
  if (path.empty()) return kNoKnownFile;
  if (!is_file(job, process.id, path)) return kNoFiles;
  const Action action = function.done.action;
  if (action == Action::kNone) return function.name + (*function.done.why ? ": " : "") + function.done.why;
  if (action == Action::kControl && call.error == 0) return function.name + ": what it asks for is in no trace";
  if (action == Action::kReadLink && call.error == 0 && !job.links.contains(call.path))
    return function.name + ": of a link that the job found, and where that leads is in no trace";
  if (has_two_names(action) && call.offset >= job.paths.size() && call.error != ENOENT)
    return function.name + ": its other name is not in the trace";
  if (call.error != 0 && !fails_again(call, action)) return "failed, for a reason that no replay has";
  if (call.moved > kLargest) return "of more than 1 TiB at once";
  return {};
}

bool is_launcher(const Process& process) {
  for (const char* name : {"mpirun", "mpiexec", "orterun", "prterun", "orted", "prted", "srun", "hydra_pmi_proxy",
                           "mpiexec.hydra", "mpirun.mpich", "mpiexec.mpich", "mpirun.openmpi", "mpiexec.openmpi"})
    if (process.command == name) return true;
  return false;
}

bool has_any(const Recording& job, const Process& process) {
  return std::any_of(process.calls.begin(), process.calls.end(), [&](const Call& call) {
    return call.inside == kNone && call.function != 0 && !reason_not_to(job, process, call);
  });
}

bool is_library(const Function& function) {
  return function.layer == "hdf5" || function.layer == "pnetcdf" || function.layer == "mpiio";
}

void count(LeftOut& sum, const Function& function, const Call& call) {
  ++sum.calls;
  if (function.data && call.error == 0) sum.bytes += call.moved;
}

std::optional<std::string> why_not(const Process& process) {
  return is_launcher(process) ? kOfLauncher : "of processes that are no ranks";
}

}  // namespace

bool is_file(const Recording& job, uint64_t process, const std::string& path) {
  if (path.empty() || path[0] != '/') return false;
  const auto facts = job.facts.find({process, path});
  return facts == job.facts.end() || facts->second.is_file;
}

Status choose_processes(const Recording& job, const PlanOptions& options, Plan& plan) {
  std::map<int64_t, std::vector<uint32_t>> by_rank;
  for (uint32_t i = 0; i < job.processes.size(); ++i)
    if (job.processes[i].rank >= 0) by_rank[job.processes[i].rank].push_back(i);
  const bool parallel = !by_rank.empty();
  if (!parallel) {
    for (uint32_t i = 0; i < job.processes.size(); ++i)
      if (has_any(job, job.processes[i])) by_rank[static_cast<int64_t>(i)].push_back(i);
  }
  const size_t found = by_rank.size(), given = static_cast<size_t>(options.ranks);
  if (found == 0) return {Code::kInvalid, "it has no call on a file that could be replayed"};
  if (given > found || (given < found && !options.fold))
    return {Code::kInvalid, "the job has " + std::to_string(found) +
                                (parallel ? " ranks" : " processes with calls on files") + ", and this run " +
                                std::to_string(given) + ": start it with mpirun -n " + std::to_string(found) +
                                (given < found ? ", or give --fold to let each rank do what several did" : "")};
  plan.ranks.resize(given);
  plan.folded = given < found;
  size_t next = 0;
  for (const auto& [rank, processes] : by_rank) {
    std::vector<uint32_t>& to = plan.ranks[next++ % given];
    to.insert(to.end(), processes.begin(), processes.end());
  }
  return {};
}

void choose_calls(const Recording& job, const std::set<uint32_t>& together, bool meets, Plan& plan) {
  plan.fates.assign(job.processes.size(), {});
  plan.left_out.clear();
  plan.below.clear();
  std::vector<bool> chosen(job.processes.size());
  for (const auto& processes : plan.ranks)
    for (const uint32_t process : processes) chosen[process] = true;
  for (uint32_t p = 0; p < job.processes.size(); ++p) {
    const Process& process = job.processes[p];
    std::vector<Fate>& fates = plan.fates[p];
    fates.assign(process.calls.size(), Fate::kLeftOut);
    for (size_t i = 0; i < process.calls.size(); ++i) {
      const Call& call = process.calls[i];
      const Function& function = job.functions[call.function];
      if (call.function == 0) {
        if (meets && chosen[p] && call.ended) fates[i] = Fate::kDone;
        continue;
      }
      if (call.inside < i && fates[call.inside] != Fate::kLeftOut) {
        fates[i] = Fate::kCaused;
        continue;
      }
      const bool again = function.of == Layer::kMpiio && together.contains(call.path);
      if (is_library(function) && !again) {
        count(plan.below[function.layer], function, call);
        continue;
      }
      if (const auto why = chosen[p] ? reason_not_to(job, process, call) : why_not(process))
        count(plan.left_out[*why], function, call);
      else
        fates[i] = Fate::kDone;
    }
  }
}

}  // namespace headrace::workload::replay
