// What one rank does, from what its processes did: traces name files, not descriptors, and not what functions were
// given, so that follows here from what was done with the files.
#include <errno.h>

#include <algorithm>
#include <unordered_map>

#include "workload/replay/plan.h"

namespace headrace::workload::replay {
namespace {

/// What is done with a file until it is opened again.
struct Session {
  bool reads = false, writes = false, reads_first = false;
};

/// What a call tells of those before it.
struct Hints {
  std::vector<Session> sessions;    // of openings
  std::vector<uint64_t> positions;  // where the next reading or writing behind a seek begins
};

Hints look_ahead(const Recording& job, const std::vector<Call>& calls, const std::vector<Fate>& fates) {
  Hints hints;
  hints.sessions.resize(calls.size());
  hints.positions.assign(calls.size(), kUnknown);
  std::unordered_map<uint32_t, Session> sessions;
  std::unordered_map<uint32_t, uint64_t> positions;
  for (size_t i = calls.size(); i-- > 0;) {
    if (fates[i] != Fate::kDone) continue;
    const Call& call = calls[i];
    const Action action = job.functions[call.function].done.action;
    Session& session = sessions[call.path];
    session.reads |= reads(action);
    session.writes |= writes(action) || action == Action::kResize;
    if (reads(action) || writes(action)) session.reads_first = reads(action) && call.moved > 0;
    if (moves_position(action)) positions[call.path] = call.offset;
    if (!opens(action) && !seeks(action)) continue;
    if (opens(action)) hints.sessions[i] = std::exchange(session, {});
    if (const auto next = positions.find(call.path); next != positions.end()) {
      hints.positions[i] = next->second;
      positions.erase(next);
    }
  }
  return hints;
}

/// Makes the steps of one process.
class Steps {
 public:
  Steps(const Plan& plan, const Recording& job, uint32_t process, std::map<uint32_t, size_t>& opened, uint32_t& slots,
        std::vector<Step>& to)
      : plan_(plan), job_(job), number_(process), opened_(opened), slots_(slots), to_(to) {}

  void make() {
    const std::vector<Call>& calls = job_.processes[number_].calls;
    const Hints hints = look_ahead(job_, calls, plan_.fates[number_]);
    for (size_t i = 0; i < calls.size(); ++i)
      if (plan_.fates[number_][i] == Fate::kDone) make(calls[i], hints.sessions[i], hints.positions[i]);
  }

 private:
  struct Open {
    uint32_t slot;
    Kind kind;
    uint32_t position;  // of positions_; duplicates share it
    bool appends;
  };

  void make(const Call& call, const Session& session, uint64_t position);
  void open(Step& step, const Session& session);
  void duplicate(Step& step);
  bool close(Step& step);
  void use(Step& step, const Call& call, uint64_t position);
  Open* find(uint32_t path, Kind kind, uint64_t position);
  Open& inherited(const Step& step, Kind kind, uint64_t offset);
  Opening opening_of(const Step& step, const Session& session) const;
  const FileFacts* facts_of(uint32_t path, bool* own) const;

  const Plan& plan_;
  const Recording& job_;
  const uint32_t number_;
  std::map<uint32_t, size_t>& opened_;
  uint32_t& slots_;
  std::vector<Step>& to_;
  std::unordered_map<uint32_t, std::vector<Open>> open_;  // by path
  std::unordered_map<uint32_t, uint64_t> ends_;           // of files, as far as this process knows
  std::vector<uint64_t> positions_;
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
  opening.reads = session.reads;
  opening.writes = session.writes;
  opening.exclusive = step.failed && job_.functions[step.function].done.action == Action::kOpen && step.from == EEXIST;
  opening.creates = opening.exclusive || (!step.failed && (session.writes || (facts && facts->created)));
  opening.writes |= opening.creates && !session.reads;
  if (facts == nullptr || step.failed) return opening;
  opening.appends = facts->append && session.writes;
  opening.synchronous = facts->synchronous;
  // What several ranks share one record of: the first of them to open it may have emptied it, no later one.
  const bool first = own || facts->first_open_ns == 0 || step.begin_ns <= facts->first_open_ns + 1'000'000;
  opening.truncates = facts->truncated && session.writes && !session.reads_first && first;
  return opening;
}

void Steps::open(Step& step, const Session& session) {
  step.slot = slots_++;
  step.opening = opening_of(step, session);
  const size_t time = opened_[step.path];
  if (step.action == Action::kMpiOpen) {
    ++opened_[step.path];
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
      {step.slot, kind_of(step.action), static_cast<uint32_t>(positions_.size()), step.opening.appends});
  positions_.push_back(0);
  if (step.opening.truncates) ends_[step.path] = 0;
}

Steps::Open* Steps::find(uint32_t path, Kind kind, uint64_t position) {
  std::vector<Open>& all = open_[path];
  Open* last = nullptr;
  for (size_t up = all.size(); up-- > 0;) {
    if (all[up].kind != kind) continue;
    if (last == nullptr) last = &all[up];
    if (position == kUnknown || positions_[all[up].position] == position) return &all[up];
  }
  return last;
}

/// What was open before the process began, or was opened where no trace was kept.
Steps::Open& Steps::inherited(const Step& step, Kind kind, uint64_t offset) {
  Step extra = step;
  extra.extra = true;
  constexpr Action kOpens[] = {Action::kOpen, Action::kStreamOpen, Action::kMpiOpen, Action::kOpenDirectory};
  extra.action = kOpens[static_cast<size_t>(kind)];
  extra.slot = slots_++;
  extra.opening = {.reads = true, .writes = true, .creates = true};
  extra.duration_ns = 0;
  to_.push_back(extra);
  open_[step.path].push_back({extra.slot, kind, static_cast<uint32_t>(positions_.size()), false});
  positions_.push_back(offset == kUnknown ? 0 : kUnknown);  // a position that has to be gone to
  return open_[step.path].back();
}

void Steps::duplicate(Step& step) {
  const Open* found = find(step.path, Kind::kDescriptor, kUnknown);
  const Open from = found != nullptr ? *found : inherited(step, Kind::kDescriptor, kUnknown);
  step.from = from.slot;
  step.slot = slots_++;
  open_[step.path].push_back({step.slot, from.kind, from.position, from.appends});
}

/// False: nothing of it is open, as for what was opened before the trace began.
bool Steps::close(Step& step) {
  const Kind kind = kind_of(step.action);
  const Open* found = find(step.path, kind, kUnknown);
  if (found == nullptr) {
    inherited(step, kind, kUnknown);
    found = &open_[step.path].back();
  }
  step.slot = found->slot;
  std::vector<Open>& all = open_[step.path];
  all.erase(all.begin() + (found - all.data()));
  return true;
}

void Steps::use(Step& step, const Call& call, uint64_t position) {
  const Kind kind = kind_of(step.action);
  const bool moves = moves_position(step.action);
  Open* found = find(step.path, kind, moves ? call.offset : kUnknown);
  if (found == nullptr) found = &inherited(step, kind, call.offset);
  step.slot = found->slot;
  uint64_t& at = positions_[found->position];
  if (moves && call.offset != kUnknown && at != call.offset && !(found->appends && writes(step.action))) {
    Step extra = step;
    extra.extra = true;
    extra.action = kind == Kind::kStream ? Action::kStreamSeek : Action::kSeek;
    extra.offset = call.offset;
    extra.duration_ns = 0;
    to_.push_back(extra);
    at = call.offset;
  }
  if (seeks(step.action)) {
    step.offset = step.action == Action::kStreamRewind ? 0 : position != kUnknown ? position : at == kUnknown ? 0 : at;
    at = step.offset;
  } else if (moves) {
    if (call.offset != kUnknown) at = call.offset;
    if (at != kUnknown) at += call.moved;
  }
  uint64_t& end = ends_[step.path];
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
  step.bytes = writes(action) ? call.moved : std::max(call.asked, call.moved);
  step.moved = call.moved;
  step.begin_ns = call.begin_ns;
  step.duration_ns = call.duration_ns;
  step.waited_ns = call.waited_ns;
  step.process = number_;
  if (opens(action)) {
    step.from = call.error;
    open(step, session);
  } else if (action == Action::kDuplicate) {
    duplicate(step);
  } else if (closes(action)) {
    close(step);
  } else if (needs_open(action)) {
    use(step, call, position);
  } else if (action == Action::kRename) {
    step.from = static_cast<uint32_t>(call.offset);
  } else if (action == Action::kResizeName) {
    step.offset = ends_[step.path];
  }
  to_.push_back(step);
}

}  // namespace

std::vector<Step> steps_of(const Plan& plan, const Recording& job, int rank) {
  std::vector<Step> steps;
  uint32_t slots = 0;
  std::map<uint32_t, size_t> opened;
  const std::vector<uint32_t>& processes = plan.ranks[static_cast<size_t>(rank)];
  for (const uint32_t process : processes) Steps(plan, job, process, opened, slots, steps).make();
  if (processes.size() > 1)
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.begin_ns < b.begin_ns; });
  return steps;
}

}  // namespace headrace::workload::replay
