#pragma once
// The regions and operations that a location is inside of, outermost first.

#include <cstdint>
#include <vector>

#include "model/event.h"

namespace headrace::events {

inline constexpr uint32_t kDeepest = 1u << 16;  // regions inside of each other; deeper ones are passed over

class OpenRegions {
 public:
  /// References of kEnter and kIoBegin events without their kLeave or kIoEnd.
  const std::vector<uint32_t>& references() const { return references_; }

  void enter(uint32_t reference) {
    if (references_.size() < kDeepest)
      references_.push_back(reference);
    else
      deeper_++;
  }

  /// Leaves the innermost one, whichever it is: verify tells where it is another.
  void leave() {
    if (deeper_ > 0)
      deeper_--;
    else if (!references_.empty())
      references_.pop_back();
  }

  void take(const model::Event& event) {
    using enum model::EventKind;
    const model::EventKind kind = event.kind();
    if (kind == kEnter || kind == kIoBegin) enter(event.reference());
    if (kind == kLeave || kind == kIoEnd) leave();
  }

 private:
  std::vector<uint32_t> references_;
  uint64_t deeper_ = 0;
};

}  // namespace headrace::events
