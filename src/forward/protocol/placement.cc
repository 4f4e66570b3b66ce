#include "forward/protocol/placement.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/hash.h"
#include "forward/protocol/handle.h"

namespace headrace::forward {

const char* placing_name(Placing place) {
  return place == Placing::kFile ? "file" : place == Placing::kStripe ? "stripe" : "node";
}

std::optional<Placing> placing_of(std::string_view name) {
  for (const Placing place : {Placing::kFile, Placing::kStripe, Placing::kNode}) {
    if (name == placing_name(place)) return place;
  }
  return std::nullopt;
}

/// The kernel makes a random name each time it starts: random(4).
uint64_t this_node() {
  char name[64];
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd < 0 ? 0 : read(fd, name, sizeof name);
  if (fd >= 0) close(fd);
  return size <= 0 ? 0 : base::hash_bytes(name, static_cast<size_t>(size));
}

uint64_t hash_of_file(base::Bytes handle) {
  if (handle.size() < kHandleIdentityAt + kHandleIdentityBytes) return 0;
  return base::hash_bytes(handle.data() + kHandleIdentityAt, kHandleIdentityBytes);
}

bool Layout::owns_of(uint64_t file, size_t server, uint64_t offset, uint64_t length) const {
  if (!by(Placing::kStripe)) return server == front(file);
  const uint64_t first = offset / placement_.stripe;
  if (length == 0 || (offset + length - 1) / placement_.stripe - first + 1 >= servers_) return true;
  for (uint64_t stripe = first; stripe <= (offset + length - 1) / placement_.stripe; ++stripe) {
    if ((home(file) + stripe) % servers_ == server) return true;
  }
  return false;
}

}  // namespace headrace::forward
