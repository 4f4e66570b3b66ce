#pragma once
// Which calls have a collective operation in them, told with their begin: OTF2 wants its begin there, and a trace has
// it only where the call ends. Internal to otf2.

#include <vector>

#include "convert/trace/balanced_events.h"
#include "events/span_stack.h"

namespace headrace::convert::otf2 {

class CollectivesAhead {
 public:
  struct Told {
    BalancedEvent balanced;
    bool collective = false;  // of an Enter: the operation begins with it
  };

  /// Keeps events back while a call that may be one is open, and calls `give(Told)` for what is known. `counts`: of an
  /// Enter, that it may; of a collective operation, that it will be written. When all is closed nothing is left.
  template <typename Give>
  void take(const BalancedEvent& balanced, bool counts, Give give) {
    const model::EventKind kind = balanced.event.kind();
    if (open_.empty() && !(kind == model::EventKind::kEnter && counts)) return give(Told{balanced});
    waiting_.push_back({balanced});
    if (events::is_begin(kind)) open_.push_back(waiting_.size() - 1);
    if (events::is_end(kind)) open_.pop_back();
    if (kind == model::EventKind::kCollective && counts) mark();
    if (!open_.empty() && waiting_.size() < kMost) return;
    for (const Told& told : waiting_) give(told);
    waiting_.clear();
    open_.clear();
  }

 private:
  static constexpr size_t kMost = 65536;  // events that wait; 3 MiB

  void mark() {
    Told& around = waiting_[open_.back()];
    around.collective = around.balanced.event.kind() == model::EventKind::kEnter;
  }

  std::vector<Told> waiting_;
  std::vector<size_t> open_;  // places in waiting_ of what is open
};

}  // namespace headrace::convert::otf2
