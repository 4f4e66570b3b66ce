#include "forward/backend/open_files.h"

#include <algorithm>
#include <vector>

namespace headrace::forward {

/// One that was closed here and is open elsewhere is kept again.
std::shared_ptr<OpenFile> OpenFiles::find_held(const Key& key) {
  const auto found = held_.find(key);
  return found == held_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<OpenFile> OpenFiles::find(const File& file, bool for_writing) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = index_.find({file.identity(), true});
  if (found == index_.end() && !for_writing) found = index_.find({file.identity(), false});
  if (found == index_.end()) {
    auto held = find_held({file.identity(), true});
    return held == nullptr && !for_writing ? find_held({file.identity(), false}) : held;
  }
  order_.splice(order_.begin(), order_, found->second);
  return found->second->second;
}

/// Gives one that is to be closed instead.
std::shared_ptr<OpenFile> OpenFiles::add(const Key& key, std::shared_ptr<OpenFile> opened) {
  order_.emplace_front(key, std::move(opened));
  index_[key] = order_.begin();
  if (order_.size() <= most_) return nullptr;
  const auto [last, file] = std::move(order_.back());
  order_.pop_back();
  index_.erase(last);
  if (file.use_count() == 1) return file;
  held_[last] = file;
  if (held_.size() > most_held_) {
    std::erase_if(held_, [](const auto& each) { return each.second.expired(); });
    most_held_ = std::max<size_t>(64, held_.size() * 2);
  }
  return nullptr;
}

void OpenFiles::keep(const File& file, bool for_writing, std::shared_ptr<OpenFile> opened) {
  std::shared_ptr<OpenFile> replaced;  // closed without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const Key key{file.identity(), for_writing};
  if (index_.contains(key)) return;
  held_.erase(key);
  replaced = add(key, std::move(opened));
}

void OpenFiles::forget(const File& file) {
  std::vector<std::shared_ptr<OpenFile>> closed;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const bool for_writing : {false, true}) {
    const auto found = index_.find({file.identity(), for_writing});
    if (found == index_.end()) continue;
    closed.push_back(std::move(found->second->second));
    order_.erase(found->second);
    index_.erase(found);
  }
}

bool OpenFiles::forget_removed() {
  std::vector<std::shared_ptr<OpenFile>> closed;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto each = order_.begin(); each != order_.end();) {
    const bool used = each->second.use_count() > 1;
    const auto attributes = used ? Outcome<Attributes>(Failed{0}) : each->second->attributes();
    if (used || !attributes.ok() || attributes->links != 0) {
      ++each;
      continue;
    }
    closed.push_back(std::move(each->second));
    index_.erase(each->first);
    each = order_.erase(each);
  }
  return !closed.empty();
}

}  // namespace headrace::forward
