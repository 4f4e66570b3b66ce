#include "capture/harvest/process_tree.h"

#include <iterator>

namespace headrace::capture {

void ProcessTree::end(const Image& image, model::Ended how, uint64_t end_at_ns) {
  images_[image] = {how, end_at_ns};
  finished_.push_back(image);
  if (finished_.size() <= kKept) return;
  images_.erase(finished_.front());
  finished_.pop_front();
}

bool ProcessTree::has_successor(const Image& image) const {
  const auto next = images_.upper_bound(image);
  return next != images_.end() && next->first.process_id == image.process_id;
}

uint64_t ProcessTree::parent_of(const Image& image, uint32_t parent_process_id, uint64_t start_at_ns,
                                bool forked) const {
  auto place = images_.lower_bound(image);
  if (!forked && place != images_.begin()) {
    const auto& [former, fate] = *std::prev(place);
    if (former.process_id == image.process_id && fate.how == model::Ended::kExec) return id_of(former);
  }
  if (parent_process_id == 0 || parent_process_id == image.process_id) return 0;
  place = images_.upper_bound({parent_process_id, image.created_ns});
  if (place == images_.begin()) return 0;
  const auto& [parent, fate] = *std::prev(place);
  if (parent.process_id != parent_process_id) return 0;
  // An image that ended before its supposed child began only lent its pid to somebody unseen. After an exec the pid
  // lives on, whether or not the next image was captured. A forked child, though, tells whose spool it had: it may
  // begin one of its own, at its first I/O, long after the end of that parent, as daemons do.
  if (!forked && fate.how == model::Ended::kExit && fate.end_at_ns < start_at_ns) return 0;
  return id_of(parent);
}

}  // namespace headrace::capture
