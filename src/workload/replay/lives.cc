#include "workload/replay/lives.h"

#include <errno.h>

#include <algorithm>
#include <set>
#include <string>

namespace headrace::workload::replay {
namespace {

uint64_t sum(uint64_t a, uint64_t b) { return a + std::min(b, ~a); }

template <typename Act>
void for_done(const Recording& job, const Plan& plan, const Act& act) {
  for (uint32_t p = 0; p < job.processes.size(); ++p)
    for (size_t i = 0; i < job.processes[p].calls.size(); ++i) {
      const Call& call = job.processes[p].calls[i];
      if (plan.fates[p][i] == Fate::kDone && call.function != 0) act(call, job.functions[call.function].done.action);
    }
}

/// Whether the file must have been there for this to succeed; an opening tells nothing yet.
bool shows_file(Action action) {
  return action == Action::kLookName || action == Action::kAccess || action == Action::kRemove ||
         action == Action::kRename || action == Action::kResizeName || action == Action::kOpenDirectory ||
         action == Action::kSystemOf || action == Action::kRemoveDirectory || action == Action::kLimitOf ||
         action == Action::kResolve || action == Action::kScan || action == Action::kChangeMode ||
         action == Action::kChangeOwner || action == Action::kChangeTimes || action == Action::kListAttributes;
}

/// It failed because the name was there.
bool found_it(const Call& call, Action action) {
  return call.error == EEXIST && (action == Action::kOpen || action == Action::kMakeDirectory ||
                                  action == Action::kLink || action == Action::kSymbolicLink);
}

void begin(const Call& call, Action action, Life& life) {
  if (writes(action) && call.error == 0) life.first_write_ns = std::min(life.first_write_ns, call.begin_ns);
  if (opens(action) && call.error == 0) life.first_open_ns = std::min(life.first_open_ns, call.begin_ns);
  if (call.begin_ns >= life.first_ns) return;
  life.first_ns = call.begin_ns;
  life.made = action == Action::kOpenNew;
  life.existed = (call.error == 0 && shows_file(action)) || found_it(call, action);
  life.directory = action == Action::kRemoveDirectory || action == Action::kOpenDirectory || action == Action::kScan ||
                   action == Action::kMakeDirectory;
}

}  // namespace

std::map<uint32_t, Life> lives_of(const Recording& job, const Plan& plan) {
  std::map<uint32_t, Life> lives;
  for_done(job, plan, [&](const Call& call, Action action) {
    begin(call, action, lives[call.path]);
    if (!has_two_names(action) || call.offset >= job.paths.size() || action == Action::kSymbolicLink) return;
    Life& other = lives[static_cast<uint32_t>(call.offset)];
    if (call.begin_ns >= other.first_ns) return;
    other.first_ns = call.begin_ns;
    // A new name comes to be, unless it was in the way; what gets another one was there.
    other.existed = action == Action::kLink ? call.error == 0 : call.error == EEXIST;
  });
  for_done(job, plan, [&](const Call& call, Action action) {
    Life& life = lives[call.path];
    const uint64_t end = call.offset == kUnknown ? sum(life.most, call.moved) : sum(call.offset, call.moved);
    if (call.error != 0 || (!reads(action) && !writes(action))) return;
    if (call.moved > 0) life.most = std::max(life.most, end);
    if (!reads(action) || call.begin_ns >= life.first_write_ns || call.moved == 0) return;
    life.existed = true;
    life.bytes = std::max(life.bytes, end);
  });
  for (auto& [path, life] : lives) {
    const auto known = job.facts.find({0, job.paths[path]});
    const FileFacts* facts = known != job.facts.end() ? &known->second : nullptr;
    const bool opened_first = life.first_open_ns != kUnknown && life.first_open_ns == life.first_ns;
    // A file that nobody had to make was there.
    life.existed |=
        opened_first && !life.made && (facts != nullptr ? !facts->created : life.first_write_ns == kUnknown);
    life.directory |= facts != nullptr && facts->is_directory;
    if (opened_first && facts != nullptr && facts->size_known && facts->size_at_open > 0 && !facts->truncated) {
      life.existed = true;
      life.bytes = std::max(life.bytes, facts->size_at_open);
    }
    life.most = std::max(life.most, life.bytes);
  }
  return lives;
}

namespace {

/// Where what is found behind names that the job gives to directories was before.
class EarlierNames {
 public:
  EarlierNames(const Recording& job, const Plan& plan) {
    for_done(job, plan, [&](const Call& call, Action action) {
      if ((action != Action::kRename && action != Action::kSymbolicLink) || call.error != 0) return;
      if (call.offset >= job.paths.size()) return;
      const std::string &one = job.paths[call.path], &other = job.paths[call.offset];
      const bool renamed = action == Action::kRename;
      given_.push_back({call.begin_ns, (renamed ? other : one) + "/", (renamed ? one : other) + "/"});
    });
    std::sort(given_.begin(), given_.end(), [](const Given& a, const Given& b) { return a.at_ns > b.at_ns; });
  }
  /// Of a path that is met first at that time.
  std::string of(std::string path, uint64_t at_ns) const {
    for (const Given& each : given_)
      if (each.at_ns < at_ns && path.starts_with(each.now)) path = each.before + path.substr(each.now.size());
    return path;
  }

 private:
  struct Given {
    uint64_t at_ns;
    std::string now, before;
  };
  std::vector<Given> given_;  // the latest first
};

}  // namespace

void prepare_files(Recording& job, const std::map<uint32_t, Life>& lives, Plan& plan) {
  std::set<std::string> made;  // directories that the job makes, in which it finds nothing
  for_done(job, plan, [&](const Call& call, Action action) {
    if (action == Action::kMakeDirectory && call.error == 0) made.insert(job.paths[call.path]);
  });
  std::map<std::string, Prepared> found;
  // False: the job itself makes one of them.
  const auto add_parents = [&](const std::string& path) {
    for (size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
      const std::string parent = path.substr(0, slash);
      if (made.contains(parent)) return false;
      found.emplace(parent, Prepared{kNone, true, 0});
    }
    return true;
  };
  std::map<std::string, uint32_t> numbers;
  for (const auto& [path, life] : lives) numbers.emplace(job.paths[path], path);
  const EarlierNames names(job, plan);
  for (const auto& [path, life] : lives) {
    plan.footprint = sum(plan.footprint, life.most);
    const std::string name = names.of(job.paths[path], life.first_ns);
    if (add_parents(name) && life.existed && !made.contains(name))
      found.insert_or_assign(name, Prepared{path, life.directory, life.directory ? 0 : life.bytes});
  }
  for (auto& [name, what] : found) {
    const auto number = numbers.find(name);
    what.path = number != numbers.end() ? number->second : static_cast<uint32_t>(job.paths.size());
    if (number == numbers.end()) job.paths.push_back(name);
    plan.prepared_bytes = sum(plan.prepared_bytes, what.bytes);
  }
  // A directory has the names of what is in it behind its own: whatever has one below it is one.
  for (auto at = found.begin(); at != found.end(); ++at) {
    const auto below = found.lower_bound(at->first + "/");
    if (below != found.end() && below->first.starts_with(at->first + "/")) at->second = {at->second.path, true, 0};
  }
  for (const auto& [name, what] : found) plan.prepared.push_back(what);
  plan.files = lives.size();
}

}  // namespace headrace::workload::replay
