// What one rank does, from what its processes did: traces name files, not descriptors, and not what functions were
// given, so that follows here from what was done with the files.
#include <errno.h>

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>

#include "workload/replay/hints.h"
#include "workload/replay/plan.h"

namespace headrace::workload::replay {
namespace {

class Steps;

/// What the processes of a rank share.
struct Shared {
  std::map<uint32_t, size_t> opened;
  uint32_t slots = 0;
  std::vector<uint64_t> positions;              // of what is open, in its file
  std::unordered_map<uint32_t, uint64_t> ends;  // of files, as far as this rank knows
  std::set<uint32_t> gone;                      // paths that were taken away
  std::vector<Steps*> processes;
  std::vector<Step> steps;
};

/// The kernel's name of a file without one.
bool is_nameless(const std::string& path) {
  const size_t begin = path.rfind('/') + 1;
  return begin + 1 < path.size() && path[begin] == '#' && path.find_first_not_of("0123456789", begin + 1) == path.npos;
}

/// Makes the steps of one process.
class Steps {
 public:
  Steps(const Plan& plan, const Recording& job, uint32_t process, Shared& shared)
      : plan_(plan),
        job_(job),
        number_(process),
        shared_(shared),
        hints_(look_ahead(job, job.processes[process].calls, plan.fates[process])) {}

  /// Of the call of this number.
  void make(size_t i) { make(job_.processes[number_].calls[i], hints_.sessions[i], hints_.positions[i]); }

 private:
  struct Open {
    uint32_t slot;
    Kind kind;
    uint32_t position;  // of Shared::positions; duplicates share it
    Opening opening;
  };

  void make(const Call& call, const Session& session, uint64_t position);
  void open(Step& step, const Session& session);
  void duplicate(Step& step);
  void convert(Step& step);
  void close(Step& step);
  void remember(const Step& step);
  void use(Step& step, const Call& call, uint64_t position);
  Open* find(uint32_t path, Kind kind, uint64_t position);
  Open& inherited(const Step& step, Kind kind, uint64_t offset);
  const Open* of_another(const Step& step) const;
  Session session_ = {};  // of the call that is made
  Opening opening_of(const Step& step, const Session& session) const;
  const FileFacts* facts_of(uint32_t path, bool* own) const;

  const Plan& plan_;
  const Recording& job_;
  const uint32_t number_;
  Shared& shared_;
  const Hints hints_;
  std::unordered_map<uint32_t, std::vector<Open>> open_;  // by path
};

const FileFacts* Steps::facts_of(uint32_t path, bool* own) const {
  for (const uint64_t whose : {job_.processes[number_].id, uint64_t{0}}) {
    const auto found = job_.facts.find({whose, job_.paths[path]});
    *own = whose != 0;
    if (found != job_.facts.end()) return &found->second;
  }
  return nullptr;
}

Opening Steps::opening_of(const Step& step, const Session& session) const {
  Opening opening;
  bool own = false;
  const FileFacts* facts = facts_of(step.path, &own);
  if (step.action == Action::kOpenNew || is_nameless(job_.paths[step.path]))
    return {.reads = true, .writes = true, .creates = true, .truncates = step.action == Action::kStreamOpen};
  opening.reads = session.reads;
  opening.writes = session.writes;
  opening.exclusive = step.failed && step.action == Action::kOpen && step.from == EEXIST;
  opening.creates = opening.exclusive || (!step.failed && (session.writes || (facts && facts->created)));
  opening.writes |= opening.creates && !session.reads;
  if (facts == nullptr || step.failed) return opening;
  opening.appends = facts->append && session.writes;
  opening.synchronous = facts->synchronous;
  const auto open = open_.find(step.path);
  const bool is_open = open != open_.end() && !open->second.empty();  // then it is not emptied again
  // What several ranks share one record of: the first of them to open it may have emptied it, no later one.
  const bool first = own || facts->first_open_ns == 0 || step.begin_ns <= facts->first_open_ns + 1'000'000;
  opening.truncates = facts->truncated && session.writes && !session.reads_first && first && !is_open;
  return opening;
}

void Steps::open(Step& step, const Session& session) {
  step.slot = shared_.slots++;
  step.opening = opening_of(step, session);
  const size_t time = shared_.opened[step.path];
  if (step.action == Action::kMpiOpen) {
    ++shared_.opened[step.path];
    const auto openings = plan_.openings.find(step.path);
    if (openings != plan_.openings.end() && time < openings->second.size() && openings->second[time].group != kNone) {
      const Together& all = openings->second[time];
      step.group = all.group;
      step.opening.reads = all.reads;
      step.opening.writes = all.writes;
    }
    step.opening.creates = step.opening.writes;  // MPI takes no other mode
  }
  if (step.failed) return;
  open_[step.path].push_back(
      {step.slot, kind_of(step.action), static_cast<uint32_t>(shared_.positions.size()), step.opening});
  shared_.positions.push_back(0);
  if (step.opening.truncates) shared_.ends[step.path] = 0;
}

/// Streams and directories have descriptors too, for what is no closing.
Steps::Open* Steps::find(uint32_t path, Kind kind, uint64_t position) {
  std::vector<Open>& all = open_[path];
  Open *last = nullptr, *beside = nullptr;
  for (size_t up = all.size(); up-- > 0;) {
    if (all[up].kind != kind) {
      if (beside == nullptr && kind == Kind::kDescriptor && all[up].kind != Kind::kMpi) beside = &all[up];
      continue;
    }
    if (last == nullptr) last = &all[up];
    if (position == kUnknown || shared_.positions[all[up].position] == position) return &all[up];
  }
  return last != nullptr ? last : beside;
}

/// What another process of the rank has open of the file and may do this with, as a parent has.
const Steps::Open* Steps::of_another(const Step& step) const {
  const Open* latest = nullptr;
  for (const Steps* other : shared_.processes) {
    const auto found = other == this ? other->open_.end() : other->open_.find(step.path);
    if (found == other->open_.end()) continue;
    for (const Open& open : found->second)
      if (open.kind == Kind::kDescriptor && (!session_.reads || open.opening.reads) &&
          (!session_.writes || open.opening.writes) && (latest == nullptr || latest->slot < open.slot))
        latest = &open;
  }
  return latest;
}

/// What was open before the process began, or was opened where no trace was kept.
Steps::Open& Steps::inherited(const Step& step, Kind kind, uint64_t offset) {
  Step extra = step;
  extra.extra = true;
  extra.failed = false;
  extra.slot = shared_.slots++;
  extra.duration_ns = 0;
  uint32_t position = static_cast<uint32_t>(shared_.positions.size());
  if (const Open* parent = kind == Kind::kDescriptor ? of_another(step) : nullptr) {
    extra.action = Action::kDuplicate;
    extra.from = parent->slot;
    extra.opening = parent->opening;
    position = parent->position;
  } else {
    constexpr Action kOpens[] = {Action::kOpen, Action::kStreamOpen, Action::kMpiOpen, Action::kOpenDirectory};
    extra.action = kOpens[static_cast<size_t>(kind)];
    extra.opening = {.reads = true, .writes = true, .creates = true, .nameless = shared_.gone.contains(step.path)};
    shared_.positions.push_back(offset == kUnknown ? 0 : kUnknown);  // a position that has to be gone to
  }
  shared_.steps.push_back(extra);
  open_[step.path].push_back({extra.slot, kind, position, extra.opening});
  return open_[step.path].back();
}

void Steps::duplicate(Step& step) {
  const Open* found = find(step.path, Kind::kDescriptor, kUnknown);
  const Open from = found != nullptr ? *found : inherited(step, Kind::kDescriptor, kUnknown);
  step.from = from.slot;
  step.slot = shared_.slots++;
  open_[step.path].push_back({step.slot, Kind::kDescriptor, from.position, from.opening});
}

void Steps::convert(Step& step) {
  Open* found = find(step.path, Kind::kDescriptor, kUnknown);
  if (found == nullptr || found->kind != Kind::kDescriptor) found = &inherited(step, Kind::kDescriptor, kUnknown);
  step.from = found->slot;
  step.slot = shared_.slots++;
  step.opening = found->opening;
  found->slot = step.slot;
  found->kind = kind_of(step.action);
}

/// Of what is not open, as of what was opened before the trace began, an opening comes first.
void Steps::close(Step& step) {
  const Kind kind = kind_of(step.action);
  const Open* found = find(step.path, kind, kUnknown);
  if (found == nullptr || found->kind != kind) found = &inherited(step, kind, kUnknown);
  step.slot = found->slot;
  std::vector<Open>& all = open_[step.path];
  all.erase(all.begin() + (found - all.data()));
}

/// Which names there are.
void Steps::remember(const Step& step) {
  if (step.failed) return;
  if (step.action == Action::kRemove || step.action == Action::kRename) shared_.gone.insert(step.path);
  if (opens(step.action) || step.action == Action::kLink || step.action == Action::kMakeNode)
    shared_.gone.erase(step.path);
  if (step.action == Action::kRename) shared_.gone.erase(step.from);
}

void Steps::use(Step& step, const Call& call, uint64_t position) {
  const Kind kind = kind_of(step.action);
  const bool moves = moves_position(step.action);
  Open* found = find(step.path, kind, moves ? call.offset : kUnknown);
  if (found == nullptr) found = &inherited(step, kind, call.offset);
  step.slot = found->slot;
  uint64_t& at = shared_.positions[found->position];
  if (moves && call.offset != kUnknown && at != call.offset && !(found->opening.appends && writes(step.action))) {
    Step extra = step;
    extra.extra = true;
    extra.action = kind == Kind::kStream ? Action::kStreamSeek : Action::kSeek;
    extra.offset = call.offset;
    extra.duration_ns = 0;
    shared_.steps.push_back(extra);
    at = call.offset;
  }
  if (seeks(step.action)) {
    step.offset = step.action == Action::kStreamRewind ? 0 : position != kUnknown ? position : at == kUnknown ? 0 : at;
    at = step.offset;
  } else if (moves) {
    if (call.offset != kUnknown) at = call.offset;
    if (at != kUnknown) at += call.moved;
  }
  uint64_t& end = shared_.ends[step.path];
  if (step.action == Action::kResize) step.offset = end;
  if (writes(step.action) && call.offset != kUnknown) end = std::max(end, call.offset + call.moved);
}

void Steps::make(const Call& call, const Session& session, uint64_t position) {
  const Action action = job_.functions[call.function].done.action;
  Step step;
  step.action = action;
  step.failed = call.error != 0;
  step.function = call.function;
  step.path = call.path;
  step.offset = call.offset;
  step.bytes = writes(action) ? call.moved : asked_of(call);
  step.moved = call.moved;
  step.begin_ns = call.begin_ns;
  step.duration_ns = call.duration_ns;
  step.waited_ns = call.waited_ns;
  step.process = number_;
  session_ = session;
  if (!opens(action) && !needs_open(action)) step.from = call.error;
  if (opens(action)) {
    step.from = call.error;
    open(step, session);
  } else if (converts(action)) {
    convert(step);
  } else if (action == Action::kDuplicate) {
    duplicate(step);
  } else if (closes(action)) {
    close(step);
  } else if (needs_open(action)) {
    use(step, call, position);
  } else if (has_two_names(action)) {
    step.from = call.offset < job_.paths.size() ? static_cast<uint32_t>(call.offset) : step.path;
    step.offset = call.error;
  } else if (action == Action::kResizeName) {
    step.offset = shared_.ends[step.path];
  }
  remember(step);
  shared_.steps.push_back(step);
  if (!closes(action) || !is_nameless(job_.paths[step.path])) return;
  step.extra = true;
  step.action = Action::kRemove;
  shared_.steps.push_back(step);
}

}  // namespace

std::vector<Step> steps_of(const Plan& plan, const Recording& job, int rank) {
  Shared shared;
  std::deque<Steps> processes;
  std::vector<std::pair<uint32_t, size_t>> order;  // process and call
  const std::vector<uint32_t>& numbers = plan.ranks[static_cast<size_t>(rank)];
  for (uint32_t i = 0; i < numbers.size(); ++i) {
    shared.processes.push_back(&processes.emplace_back(plan, job, numbers[i], shared));
    for (size_t call = 0; call < plan.fates[numbers[i]].size(); ++call)
      if (plan.fates[numbers[i]][call] == Fate::kDone) order.emplace_back(i, call);
  }
  const auto begin = [&](const std::pair<uint32_t, size_t>& of) {
    return job.processes[numbers[of.first]].calls[of.second].begin_ns;
  };
  if (numbers.size() > 1)
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) { return begin(a) < begin(b); });
  for (const auto& [process, call] : order) processes[process].make(call);
  return std::move(shared.steps);
}

}  // namespace headrace::workload::replay
