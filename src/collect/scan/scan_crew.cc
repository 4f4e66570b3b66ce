// What the threads of a scan ask for and hand over, each under the lock.
#include "collect/scan/scan_run.h"

namespace headrace::collect {

using base::Status;

/// Called by a thread that has no directory.
std::optional<Work> Scan::State::next() {
  std::unique_lock lock(mutex);
  for (;;) {
    if (ending || !failure.ok()) return {};
    if (!resting && !unfinished.empty()) {
      Work rest_of_one = {{}, std::move(unfinished.back())};
      unfinished.pop_back();
      return rest_of_one;
    }
    if (!resting && !pending.empty()) {
      auto taken = pending.pop();
      if (taken.ok()) return Work{std::move(*taken), {}};
      fail(taken.status());
      continue;
    }
    ++idle;
    if (!resting && idle == running) {  // nobody is left who could find more
      ending = true;
      work.notify_all();
    }
    rested.notify_one();
    if (!ending) work.wait(lock);
    --idle;
  }
}

/// A thread that does not wake up before all shall rest again stands where it stood: only itself takes its place out.
bool Scan::State::rest(const OpenDirectory& at) {
  std::unique_lock lock(mutex);
  open.push_back(at);
  ++standing;
  rested.notify_one();
  work.wait(lock, [&] { return !resting || ending; });
  --standing;
  std::erase_if(open, [&](const OpenDirectory& each) { return each.root == at.root && each.path == at.path; });
  return !ending && failure.ok();
}

void Scan::State::found(uint32_t root, const std::string& parent, std::string names,
                        std::shared_ptr<const Descriptor> directory) {
  const std::lock_guard lock(mutex);
  if (const Status pushed = pending.push(root, parent, std::move(names), std::move(directory)); !pushed.ok())
    fail(pushed);
  if (idle > 0) work.notify_all();
}

void Scan::State::hand_over(std::vector<Inode>& found_links) {
  const std::lock_guard lock(mutex);
  if (const Status added = links->append(found_links); !added.ok()) fail(added);
  found_links.clear();
}

void Scan::State::hand_over(RowBuffer& buffer) {
  const std::lock_guard lock(mutex);
  if (const Status added = rows->append(buffer); !added.ok()) fail(added);
}

void Scan::State::hand_over(Counts& counts) {
  const std::lock_guard lock(mutex);
  counts.move_to(state.sums);
}

void Scan::State::problem(std::string path, std::string reason) {
  const std::lock_guard lock(mutex);
  if (state.problems.size() < kListedProblems) {
    state.problems.push_back({std::move(path), std::move(reason)});
  } else {
    state.unlisted_problems = add_capped(state.unlisted_problems, 1);
  }
}

bool Scan::State::enter_mount(Mount mount) {
  const std::lock_guard lock(mutex);
  return mounts.insert(std::move(mount)).second;
}

}  // namespace headrace::collect
