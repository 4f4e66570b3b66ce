#include "workload/replay/together.h"

#include <algorithm>
#include <functional>

namespace headrace::workload::replay {
namespace {

constexpr uint64_t kOfFiles = uint64_t{1} << 40;  // added to paths where communicators are expected

/// What one rank does with a file.
struct Use {
  std::vector<Action> together;
  struct Opening {
    uint64_t begin, end;  // of the call
    bool reads, writes;   // until the next one
  };
  std::vector<Opening> opens;
};

struct SharedFile {
  std::map<int, Use> ranks;
  std::string obstacle;  // to replaying its calls of MPI-IO
};

void look_at(const Recording& job, const Call& call, int rank, SharedFile& file) {
  const Function& function = job.functions[call.function];
  const Action action = function.done.action;
  if (action == Action::kNone)
    file.obstacle = *function.done.why ? function.done.why : function.name;
  else if (call.error != 0 || !call.ended)
    file.obstacle = "a call that did not succeed";
  else if (function.data && call.offset == kUnknown)
    file.obstacle = "places that are not known";
  else if (call.asked > INT32_MAX)
    file.obstacle = "calls of 2 GiB and more";
  Use& use = file.ranks[rank];
  if (is_together(action)) use.together.push_back(action);
  if (opens(action)) use.opens.push_back({call.begin_ns, call.begin_ns + call.duration_ns, false, false});
  if (use.opens.empty()) return;
  use.opens.back().reads |= reads(action);
  use.opens.back().writes |= writes(action);
}

/// Whether all were in their opening number k at one moment.
bool overlap(const SharedFile& file, size_t k) {
  uint64_t begin = 0, end = kUnknown;
  for (const auto& [rank, use] : file.ranks) {
    begin = std::max(begin, use.opens[k].begin);
    end = std::min(end, use.opens[k].end);
  }
  return begin <= end;
}

uint32_t group_of(const SharedFile& file, Plan& plan) {
  std::vector<int> members;
  for (const auto& [rank, use] : file.ranks) members.push_back(rank);
  const auto found = std::find(plan.groups.begin(), plan.groups.end(), members);
  const auto number = static_cast<uint32_t>(found - plan.groups.begin());
  if (found == plan.groups.end()) plan.groups.push_back(std::move(members));
  return number;
}

/// How it is opened each time; else an obstacle.
std::vector<Together> openings_of(SharedFile& file, Plan& plan) {
  const Use& first = file.ranks.begin()->second;
  const size_t count = first.opens.size();
  bool alike = true;
  for (const auto& [rank, use] : file.ranks) {
    if (use.opens.empty()) file.obstacle = "an opening that is not in the trace";
    alike = alike && use.together == first.together && use.opens.size() == count;
  }
  if (!file.obstacle.empty() || !alike || file.ranks.size() == 1) {
    // Ranks that do different things with it have each opened it alone, or something is missing.
    const bool all_acts = std::any_of(first.together.begin(), first.together.end(),
                                      [](Action a) { return a == Action::kMpiReadAll || a == Action::kMpiWriteAll; });
    if (!alike && all_acts) file.obstacle = "collective calls that its ranks do not have alike";
    return {};
  }
  std::vector<Together> openings(count);
  for (size_t k = 0; k < count; ++k) {
    if (!overlap(file, k)) continue;
    openings[k].group = group_of(file, plan);
    for (const auto& [rank, use] : file.ranks) {
      openings[k].reads |= use.opens[k].reads;
      openings[k].writes |= use.opens[k].writes;
    }
  }
  return openings;
}

}  // namespace

std::set<uint32_t> files_opened_together(const Recording& job, Plan& plan) {
  std::map<uint32_t, SharedFile> files;
  for (size_t rank = 0; rank < plan.ranks.size(); ++rank)
    for (const uint32_t process : plan.ranks[rank])
      for (const Call& call : job.processes[process].calls)
        if (call.path != 0 && job.functions[call.function].of == Layer::kMpiio)
          look_at(job, call, static_cast<int>(rank), files[call.path]);
  std::set<uint32_t> together;
  std::map<std::string, uint64_t> obstacles;
  for (auto& [path, file] : files) {
    std::vector<Together> openings = openings_of(file, plan);
    if (!file.obstacle.empty()) {
      ++obstacles[file.obstacle];
      continue;
    }
    together.insert(path);
    plan.openings[path] = std::move(openings);
  }
  for (const auto& [obstacle, count] : obstacles)
    plan.remarks.push_back("calls of MPI-IO on " + std::to_string(count) + (count == 1 ? " file" : " files") +
                           " are replayed by the calls on files below them, since there are " + obstacle);
  return together;
}

void add_meetings_in_files(Recording& job, const Plan& plan, const std::set<uint32_t>& together) {
  std::map<uint32_t, std::vector<uint64_t>> counts;  // by path: of each rank
  const auto for_all = [&](const auto& act) {
    for (size_t rank = 0; rank < plan.ranks.size(); ++rank)
      for (const uint32_t process : plan.ranks[rank])
        for (const Call& call : job.processes[process].calls)
          if (call.ended && call.path != 0 && !together.contains(call.path) &&
              is_together(job.functions[call.function].done.action))
            act(rank, process, call);
  };
  for_all([&](size_t rank, uint32_t, const Call& call) {
    counts[call.path].resize(plan.ranks.size());
    ++counts[call.path][rank];
  });
  std::map<uint32_t, std::vector<Call>> meetings;  // by process
  for_all([&](size_t, uint32_t process, const Call& call) {
    const std::vector<uint64_t>& count = counts[call.path];
    if (std::adjacent_find(count.begin(), count.end(), std::not_equal_to<>()) != count.end()) return;
    Call meeting;
    meeting.begin_ns = call.begin_ns + call.duration_ns;
    meeting.waited_ns = call.waited_ns;
    meeting.offset = kOfFiles + call.path;
    meeting.thread = call.thread;
    meeting.ended = true;
    meetings[process].push_back(meeting);
  });
  for (auto& [process, calls] : meetings) merge_calls(job.processes[process].calls, std::move(calls));
}

uint64_t keep_common_meetings(Recording& job, Plan& plan) {
  std::map<uint64_t, std::vector<uint64_t>> counts;  // by communicator: of each rank
  const size_t ranks = plan.ranks.size();
  const auto for_all = [&](const auto& act) {
    for (size_t rank = 0; rank < ranks; ++rank)
      for (const uint32_t process : plan.ranks[rank])
        for (Call& call : job.processes[process].calls)
          if (call.function == 0) act(rank, call);
  };
  for_all([&](size_t rank, const Call& call) {
    std::vector<uint64_t>& count = counts[call.offset];
    count.resize(ranks);
    ++count[rank];
  });
  uint64_t common = 0, others = 0;
  std::set<uint64_t> kept;
  for (const auto& [communicator, count] : counts) {
    const bool same = std::adjacent_find(count.begin(), count.end(), std::not_equal_to<>()) == count.end();
    if (same) kept.insert(communicator);
    common += same ? count[0] : 0;
    for (const uint64_t n : count) others += same ? 0 : n;
  }
  for_all([&](size_t, Call& call) { call.ended = kept.contains(call.offset); });
  if (others > 0)
    plan.remarks.push_back("the order that " + std::to_string(others) +
                           " calls of collective operations of some of the ranks made is not kept");
  return common;
}

bool comes_to_an_end(const Recording& job, const Plan& plan) {
  struct Act {
    uint32_t group;  // plan.groups.size(): all ranks
    uint32_t path;
    Action action;
    bool operator==(const Act&) const = default;
  };
  const auto everyone = static_cast<uint32_t>(plan.groups.size());
  std::vector<std::vector<Act>> acts(plan.ranks.size());
  for (size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    std::map<uint32_t, size_t> opened;  // how often, by path
    for (const uint32_t process : plan.ranks[rank])
      for (size_t i = 0; i < job.processes[process].calls.size(); ++i) {
        const Call& call = job.processes[process].calls[i];
        const Action action = job.functions[call.function].done.action;
        if (plan.fates[process][i] != Fate::kDone) continue;
        if (action == Action::kWaitForAll) acts[rank].push_back({everyone, 0, action});
        if (!is_together(action)) continue;
        opened[call.path] += opens(action);
        const auto openings = plan.openings.find(call.path);
        const size_t number = opened[call.path] - 1;
        if (openings == plan.openings.end() || number >= openings->second.size()) continue;
        const uint32_t group = openings->second[number].group;
        if (group != kNone) acts[rank].push_back({group, call.path, action});
      }
  }
  std::vector<size_t> next(acts.size()), waiting(everyone + size_t{1});
  std::vector<size_t> ready;
  for (size_t rank = 0; rank < acts.size(); ++rank) ready.push_back(rank);
  while (!ready.empty()) {
    const size_t rank = ready.back();
    ready.pop_back();
    if (next[rank] == acts[rank].size()) continue;
    const Act& act = acts[rank][next[rank]];
    const size_t members = act.group == everyone ? acts.size() : plan.groups[act.group].size();
    if (++waiting[act.group] < members) continue;
    waiting[act.group] = 0;
    for (size_t i = 0; i < members; ++i) {
      const size_t member = act.group == everyone ? i : static_cast<size_t>(plan.groups[act.group][i]);
      if (next[member] == acts[member].size() || acts[member][next[member]] != act) return false;
      ++next[member];
      ready.push_back(member);
    }
  }
  for (size_t rank = 0; rank < acts.size(); ++rank)
    if (next[rank] != acts[rank].size()) return false;
  return true;
}

}  // namespace headrace::workload::replay
