// Cuts a row of extents into the extents of single calls.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "forward/protocol/messages.h"

namespace headrace::forward {

inline constexpr uint32_t kPiece = 1 << 20;  // bytes of a call, when there are many
inline constexpr size_t kExtentsOfCall = 4096;

/// Extents of one call.
struct Cut {
  std::vector<Extent> extents;
  std::vector<size_t> owners;  // index of the caller's extent that each is of
  uint64_t bytes = 0;
};

/// Takes calls off the front of what is left. The extents must stay.
class Cutter {
 public:
  Cutter(std::span<const Extent> extents, uint64_t most) : extents_(extents), most_(most) {}
  bool at_end() const { return next_ == extents_.size(); }
  Cut next() {
    Cut cut;
    while (!at_end() && cut.bytes < most_ && cut.extents.size() < kExtentsOfCall) {
      const Extent& whole = extents_[next_];
      const uint64_t part = std::min(whole.length - inside_, most_ - cut.bytes);
      cut.extents.push_back({whole.offset + inside_, part});
      cut.owners.push_back(next_);
      cut.bytes += part;
      inside_ += part;
      if (inside_ == whole.length) {
        ++next_;
        inside_ = 0;
      }
    }
    return cut;
  }

 private:
  std::span<const Extent> extents_;
  uint64_t most_, inside_ = 0;
  size_t next_ = 0;
};

}  // namespace headrace::forward
