// Cuts a row of extents into the extents of single calls, each of which goes to one server.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "forward/client/memory_parts.h"
#include "forward/protocol/messages.h"

namespace headrace::forward {

inline constexpr uint32_t kPiece = 1 << 20;  // bytes of a call, when there are many
inline constexpr size_t kExtentsOfCall = 4096;

/// Extents of one call.
struct Cut {
  size_t server = 0;
  std::vector<Extent> extents;
  std::vector<size_t> owners;    // index of the caller's extent that each is of
  std::vector<uint64_t> inside;  // and the bytes of that in front of it
  std::vector<uint64_t> places;  // where its bytes are in the row of the caller's
  uint64_t bytes = 0;

  std::vector<iovec> memory(const Row& row) const {
    std::vector<iovec> parts;
    for (size_t i = 0; i < extents.size();) {
      const uint64_t at = places[i];
      uint64_t length = 0;
      for (; i < extents.size() && places[i] == at + length; ++i) length += extents[i].length;
      row.add(at, length, &parts);
    }
    return parts;
  }
};

/// Takes calls off the front of what is left. The extents must stay.
class Cutter {
 public:
  Cutter(std::span<const Extent> extents, uint64_t most, const Layout& layout, uint64_t file)
      : extents_(extents), most_(most), layout_(layout), file_(file), begun_(layout.servers()) {}
  bool at_end() const {
    return next_ == extents_.size() &&
           std::all_of(begun_.begin(), begun_.end(), [](const Cut& cut) { return cut.extents.empty(); });
  }
  Cut next() {
    while (next_ < extents_.size()) {
      const Extent& whole = extents_[next_];
      const uint64_t offset = whole.offset + inside_;
      const size_t server = layout_.owner(file_, offset);
      Cut& cut = begun_[server];
      const uint64_t part = std::min({whole.length - inside_, most_ - cut.bytes, layout_.run(offset)});
      cut.server = server;
      cut.extents.push_back({offset, part});
      cut.owners.push_back(next_);
      cut.inside.push_back(inside_);
      cut.places.push_back(at_);
      cut.bytes += part;
      at_ += part;
      inside_ += part;
      if (inside_ == whole.length) {
        ++next_;
        inside_ = 0;
      }
      if (cut.bytes == most_ || cut.extents.size() == kExtentsOfCall) return std::exchange(cut, {});
    }
    return std::exchange(*std::find_if(begun_.begin(), begun_.end(), [](Cut& cut) { return !cut.extents.empty(); }),
                         {});
  }

 private:
  std::span<const Extent> extents_;
  const uint64_t most_;
  const Layout& layout_;
  const uint64_t file_;
  std::vector<Cut> begun_;  // by server
  uint64_t at_ = 0, inside_ = 0;
  size_t next_ = 0;
};

}  // namespace headrace::forward
