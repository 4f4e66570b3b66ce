#include "capture/harvest/event_bytes.h"

#include <errno.h>
#include <unistd.h>

#include <cstring>

namespace headrace::capture {

bool EventBytes::read(uint64_t offset, std::span<std::byte> to) const {
  if (offset > size_ || to.size() > size_ - offset) return false;
  if (memory_ != nullptr) {
    if (!to.empty()) std::memcpy(to.data(), memory_ + offset, to.size());
    return true;
  }
  while (!to.empty()) {
    const ssize_t got = pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<uint64_t>(got);
    to = to.subspan(static_cast<size_t>(got));
  }
  return true;
}

}  // namespace headrace::capture
