#include "forward/program/gathering.h"

#include <errno.h>
#include <sys/uio.h>

#include "forward/program/operations.h"

namespace headrace::forward::program {
namespace {

constexpr uint64_t kSmall = 64 << 10;  // larger ones are not worth a copy
constexpr size_t kMostBytes = 4 << 20, kMostParts = 8192;

}  // namespace

__thread Gathering* gathering;

bool gather(int fd, const std::vector<iovec>& parts, uint64_t bytes, uint64_t offset) {
  Gathering* const mine = gathering;
  if (mine == nullptr) return false;
  const bool fits = mine->extents.size() < kMostParts && mine->bytes.size() + bytes <= kMostBytes;
  const bool is_of_call = __builtin_frame_address(0) < mine->frame, waits = bytes < kSmall && is_of_call;
  if (!waits || mine->fd != fd || !fits) write_gathered();
  if (!waits || bytes == 0) return false;
  mine->fd = fd;
  for (const iovec& part : parts) {
    const auto* from = static_cast<const uint8_t*>(part.iov_base);
    mine->bytes.insert(mine->bytes.end(), from, from + part.iov_len);
  }
  std::vector<Extent>& extents = mine->extents;
  if (!extents.empty() && extents.back().offset + extents.back().length == offset)
    extents.back().length += bytes;
  else
    extents.push_back({offset, bytes});
  return true;
}

void write_gathered() {
  Gathering& mine = *gathering;
  if (mine.extents.empty()) return;
  const int saved = errno;
  const int error = write_list(mine.fd, {mine.bytes.data(), mine.bytes.size()}, mine.extents);
  if (mine.error == 0) mine.error = error;
  mine.extents.clear();
  mine.bytes.clear();
  errno = saved;
}

void begin_gathering(const void* frame) {
  if (gathering != nullptr && frame >= gathering->frame) {
    write_gathered();
    delete gathering;
    gathering = nullptr;
  }
  if (gathering == nullptr) gathering = new Gathering{.frame = frame};
  ++gathering->depth;
}

int end_gathering() {
  if (gathering == nullptr || --gathering->depth > 0) return 0;
  write_gathered();
  const int error = gathering->error;
  delete gathering;
  gathering = nullptr;
  return error;
}

}  // namespace headrace::forward::program
