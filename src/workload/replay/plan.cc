#include "workload/replay/plan.h"

#include <algorithm>

#include "workload/replay/choose.h"
#include "workload/replay/lives.h"
#include "workload/replay/together.h"

namespace headrace::workload::replay {
namespace {

using base::Result;
using base::Status;

/// The new names of what was renamed, where the trace has none and the log may know them: `offset` of these calls
/// becomes the number of a path. Where nobody knows it, the call has no end, and is left out.
void find_new_names(Recording& job) {
  std::map<std::string, uint32_t> numbers;
  for (Process& process : job.processes)
    for (Call& call : process.calls) {
      if (job.functions[call.function].done.action != Action::kRename || call.offset < job.paths.size()) continue;
      const auto facts = job.facts.find({process.id, job.paths[call.path]});
      const auto any = facts != job.facts.end() ? facts : job.facts.find({0, job.paths[call.path]});
      if (any == job.facts.end() || any->second.final_path.empty() || any->second.final_path[0] != '/') {
        call.ended = call.error != 0;
        continue;
      }
      const std::string& name = any->second.final_path;
      if (numbers.empty())
        for (uint32_t i = 0; i < job.paths.size(); ++i) numbers.emplace(job.paths[i], i);
      const auto [at, is_new] = numbers.emplace(name, static_cast<uint32_t>(job.paths.size()));
      if (is_new) job.paths.push_back(name);
      call.offset = at->second;
    }
}

void find_links(Recording& job) {
  for (const Process& process : job.processes)
    for (const Call& call : process.calls)
      if (job.functions[call.function].done.action == Action::kSymbolicLink && call.error == 0)
        job.links.insert(call.path);
}

void add_up(const Recording& job, Plan& plan) {
  plan.job.assign(job.functions.size(), {});
  uint64_t begin = kUnknown, end = 0;
  for (uint32_t p = 0; p < job.processes.size(); ++p) {
    const Process& process = job.processes[p];
    Adder adder(job.functions);
    std::set<uint32_t> threads;
    for (size_t i = 0; i < process.calls.size(); ++i) {
      if (plan.fates[p][i] != Fate::kDone) continue;
      const Call& call = process.calls[i];
      begin = std::min(begin, call.begin_ns);
      end = std::max(end, call.begin_ns + call.duration_ns);
      if (call.function == 0) continue;
      threads.insert(call.thread);
      adder.add(call.function, call.path, call.offset, call.moved, call.duration_ns, call.error != 0);
      plan.largest_asked = std::max(plan.largest_asked, asked_of(call));
      plan.largest_moved = std::max(plan.largest_moved, call.moved);
    }
    plan.joins_threads |= threads.size() > 1;
    for (size_t f = 0; f < plan.job.size(); ++f) plan.job[f].add(adder.sums()[f]);
  }
  plan.job_ns = end > begin ? end - begin : 0;
}

void remark(const Recording& job, Plan& plan) {
  const auto say = [&](const std::string& text) { plan.remarks.push_back(text); };
  for (const std::string& text : job.remarks) say(text);
  if (!job.has_log && !job.approximate)
    say("there is no job log beside the trace: how files were opened (created, emptied, appended to) is guessed from "
        "what was done with them");
  if (job.messages > 0)
    say("the order that " + std::to_string(job.messages) + " messages between ranks made is not kept");
  if (plan.joins_threads) say("calls of several threads of a process follow each other, by their begins");
  if (plan.folded)
    say("several processes of the job are one rank here: their calls follow each other, by their begins");
}

}  // namespace

Result<Plan> make_plan(Recording& job, const PlanOptions& options) {
  Plan plan;
  HEADRACE_TRY(choose_processes(job, options, plan));
  find_new_names(job);
  find_links(job);
  std::set<uint32_t> together;
  if (options.mpi && !plan.folded) together = files_opened_together(job, plan);
  if (options.mpi && !plan.folded && plan.ranks.size() > 1) add_meetings_in_files(job, plan, together);
  plan.meetings = plan.folded || plan.ranks.size() < 2 ? 0 : keep_common_meetings(job, plan);
  choose_calls(job, together, plan.meetings > 0, plan);
  if (!comes_to_an_end(job, plan)) {
    plan.remarks.emplace_back(
        "ranks act together in orders that do not fit each other, as in a trace that lacks something: all is replayed "
        "by the calls on files, and ranks do not wait for each other");
    plan.openings.clear();
    plan.meetings = 0;
    choose_calls(job, {}, false, plan);
  }
  prepare_files(job, lives_of(job, plan), plan);
  add_up(job, plan);
  remark(job, plan);
  return plan;
}

}  // namespace headrace::workload::replay
