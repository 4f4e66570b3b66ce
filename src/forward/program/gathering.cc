#include "forward/program/gathering.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>

#include <atomic>

#include "forward/program/inside.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/servers.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

constexpr uint64_t kSmall = 64 << 10;  // larger ones are not worth a copy
constexpr size_t kMostGathered = 4 << 20, kMostParts = 8192;
constexpr uintptr_t kFarthest = 64 << 20;  // of one stack; another one may not be there any more
pthread_key_t gathering_key;
bool has_key;

/// Whether the call that gathers was left without its end. A frame above it says so for sure, but on another stack, as
/// that of a signal's handler.
bool is_left(const Gathering& mine) {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const auto there = reinterpret_cast<uintptr_t>(mine.mark);
  if (here > there) return false;
  if (there - here > kFarthest) return true;
  for (const volatile uint64_t& word : mine.mark->words) {
    if (word != mine.number) return true;
  }
  return false;
}

/// Of a call that was left: nobody will ask how it ended.
void drop() {
  write_gathered();
  Gathering* const mine = gathering;
  gathering = nullptr;
  if (mine->error != 0) {
    const Held file(mine->fd);
    if (file)
      servers_of(file->prefix()).say(std::string(file->path()) + " could not be stored: " + strerror(mine->error));
  }
  delete mine;
}

void drop_if_any() {
  const Inside inside;
  if (gathering != nullptr) drop();
}

/// After all that main() and exit() do, of the thread that ends the process.
__attribute__((destructor)) void end_of_process() { drop_if_any(); }

}  // namespace

__thread Gathering* gathering;

void prepare_gathering() {
  has_key = pthread_key_create(&gathering_key, [](void*) { drop_if_any(); }) == 0;
  pthread_atfork(
      [] {
        const Inside inside;
        settle_gathered();  // or parent and child had it
      },
      nullptr, nullptr);
}

bool gather(int fd, const std::vector<iovec>& parts, uint64_t bytes, uint64_t offset) {
  Gathering* const mine = gathering;
  if (mine == nullptr) return false;
  if (is_left(*mine)) return drop(), false;
  const bool fits = mine->extents.size() < kMostParts && mine->bytes.size() + bytes <= kMostGathered;
  const bool is_of_call = __builtin_frame_address(0) < mine->mark, waits = bytes < kSmall && is_of_call;
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

void begin_gathering(CallMark* mark) {
  static std::atomic<uint64_t> last = 0;
  if (gathering != nullptr && (mark >= gathering->mark || is_left(*gathering))) drop();
  if (gathering == nullptr) {
    const uint64_t number = ++last * 0x9e3779b97f4a7c15;  // unlike what else lies on stacks
    for (volatile uint64_t& word : mark->words) word = number;
    gathering = new Gathering{.mark = mark, .number = number};
    if (has_key) pthread_setspecific(gathering_key, gathering);
  }
  ++gathering->depth;
}

int end_gathering() {
  if (gathering == nullptr || --gathering->depth > 0) return 0;
  write_gathered();
  const int error = gathering->error;
  delete gathering;
  gathering = nullptr;
  if (has_key) pthread_setspecific(gathering_key, nullptr);
  return error;
}

}  // namespace headrace::forward::program
