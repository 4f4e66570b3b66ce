// The caller's memory as one row of bytes, and what of it an answer's bytes fill.
#pragma once
#include <string.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forward/protocol/messages.h"

namespace headrace::forward {

/// The memory of bytes [at, at + bytes) of the row.
inline std::vector<iovec> cut(const std::vector<iovec>& memory, uint64_t at, uint64_t bytes) {
  std::vector<iovec> parts;
  for (const iovec& each : memory) {
    if (bytes == 0) break;
    if (at >= each.iov_len) {
      at -= each.iov_len;
      continue;
    }
    const uint64_t length = std::min<uint64_t>(each.iov_len - at, bytes);
    parts.push_back({static_cast<uint8_t*>(each.iov_base) + at, length});
    bytes -= length;
    at = 0;
  }
  return parts;
}

/// The same for many looks at one row.
class Row {
 public:
  explicit Row(std::span<const iovec> memory) : memory_(memory.begin(), memory.end()) {
    uint64_t at = 0;
    for (const iovec& each : memory_) {
      begins_.push_back(at);
      at += each.iov_len;
    }
  }
  void add(uint64_t at, uint64_t bytes, std::vector<iovec>* parts) const {
    auto index = static_cast<size_t>(std::upper_bound(begins_.begin(), begins_.end(), at) - begins_.begin());
    for (index -= index > 0; bytes > 0 && index < memory_.size(); ++index) {
      const iovec& each = memory_[index];
      const uint64_t inside = at - begins_[index];
      if (inside >= each.iov_len) continue;
      const uint64_t length = std::min<uint64_t>(each.iov_len - inside, bytes);
      parts->push_back({static_cast<uint8_t*>(each.iov_base) + inside, length});
      at += length;
      bytes -= length;
    }
  }
  void clear(uint64_t at, uint64_t bytes) const {
    std::vector<iovec> parts;
    add(at, bytes, &parts);
    for (const iovec& part : parts) memset(part.iov_base, 0, part.iov_len);
  }

 private:
  std::vector<iovec> memory_;
  std::vector<uint64_t> begins_;
};

/// Where the bytes of an answer go: the first counts[i] bytes of each extent's memory.
inline std::vector<iovec> targets(const std::vector<iovec>& memory, const std::vector<Extent>& extents,
                                  const std::vector<uint64_t>& counts) {
  if (counts.empty()) return memory;
  std::vector<iovec> parts;
  uint64_t at = 0;
  for (size_t i = 0; i < extents.size(); at += extents[i].length, ++i) {
    for (const iovec& part : cut(memory, at, counts[i])) parts.push_back(part);
  }
  return parts;
}

inline void gather(const std::vector<iovec>& memory, uint8_t* into) {
  for (const iovec& each : memory) {
    memcpy(into, each.iov_base, each.iov_len);
    into += each.iov_len;
  }
}

inline void scatter(const uint8_t* from, const std::vector<iovec>& parts) {
  for (const iovec& each : parts) {
    memcpy(each.iov_base, from, each.iov_len);
    from += each.iov_len;
  }
}

}  // namespace headrace::forward
