#include "forward/backend/open_files.h"

namespace headrace::forward {

std::shared_ptr<OpenFile> OpenFiles::find(const File& file, bool for_writing) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = index_.find({file.identity(), true});
  if (found == index_.end() && !for_writing) found = index_.find({file.identity(), false});
  if (found == index_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->second;
}

void OpenFiles::keep(const File& file, bool for_writing, std::shared_ptr<OpenFile> opened) {
  std::shared_ptr<OpenFile> replaced;  // closed without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const Key key{file.identity(), for_writing};
  if (index_.contains(key)) return;
  order_.emplace_front(key, std::move(opened));
  index_[key] = order_.begin();
  if (order_.size() <= most_) return;
  index_.erase(order_.back().first);
  replaced = std::move(order_.back().second);
  order_.pop_back();
}

}  // namespace headrace::forward
