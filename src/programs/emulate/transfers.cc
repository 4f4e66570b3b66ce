// The calls that read and write files.
#include <errno.h>

#include "programs/emulate/files.h"
#include "programs/emulate/model.h"
#include "programs/emulate/real.h"

namespace headrace::emulate {
namespace {

/// `offset` kUnknown: at the descriptor's place, which the call has moved on.
template <typename Call>
ssize_t transfer(int fd, bool writes, int64_t offset, Call call) {
  if (!is_on()) return call();
  const File file = file_of(fd);
  if (!file.slow) return call();
  const Delay delay(writes ? Kind::kWriting : Kind::kReading);
  const ssize_t moved = call();
  if (moved < 0) return moved;
  if (offset == kUnknown && has_locks()) {
    const int error = errno;
    const off_t after = REAL(lseek)(fd, 0, SEEK_CUR);
    if (after >= moved) offset = after - moved;
    errno = error;
  }
  wait_for_transfer(delay, writes, file.id, offset, static_cast<uint64_t>(moved));
  return moved;
}

int sync(int fd, int (*call)(int)) {
  if (!is_on() || !file_of(fd).slow) return call(fd);
  const Delay delay(Kind::kWriting);
  const int result = call(fd);
  if (result == 0) wait_for_sync(delay);
  return result;
}

}  // namespace
}  // namespace headrace::emulate

#define TRANSFER(name, writes, offset, params, args)                                         \
  extern "C" __attribute__((visibility("default"))) ssize_t name params {                    \
    return headrace::emulate::transfer(fd, writes, offset, [&] { return REAL(name) args; }); \
  }

constexpr int64_t kHere = headrace::emulate::kUnknown;

TRANSFER(read, false, kHere, (int fd, void* bytes, size_t count), (fd, bytes, count))
TRANSFER(write, true, kHere, (int fd, const void* bytes, size_t count), (fd, bytes, count))
TRANSFER(pread, false, offset, (int fd, void* bytes, size_t count, off_t offset), (fd, bytes, count, offset))
TRANSFER(pwrite, true, offset, (int fd, const void* bytes, size_t count, off_t offset), (fd, bytes, count, offset))
TRANSFER(pread64, false, offset, (int fd, void* bytes, size_t count, off64_t offset), (fd, bytes, count, offset))
TRANSFER(pwrite64, true, offset, (int fd, const void* bytes, size_t count, off64_t offset), (fd, bytes, count, offset))
TRANSFER(readv, false, kHere, (int fd, const iovec* parts, int count), (fd, parts, count))
TRANSFER(writev, true, kHere, (int fd, const iovec* parts, int count), (fd, parts, count))
TRANSFER(preadv, false, offset, (int fd, const iovec* parts, int count, off_t offset), (fd, parts, count, offset))
TRANSFER(pwritev, true, offset, (int fd, const iovec* parts, int count, off_t offset), (fd, parts, count, offset))
TRANSFER(preadv64, false, offset, (int fd, const iovec* parts, int count, off64_t offset), (fd, parts, count, offset))
TRANSFER(pwritev64, true, offset, (int fd, const iovec* parts, int count, off64_t offset), (fd, parts, count, offset))
TRANSFER(__read_chk, false, kHere, (int fd, void* bytes, size_t count, size_t room), (fd, bytes, count, room))
TRANSFER(__pread_chk, false, offset, (int fd, void* bytes, size_t count, off_t offset, size_t room),
         (fd, bytes, count, offset, room))
TRANSFER(__pread64_chk, false, offset, (int fd, void* bytes, size_t count, off64_t offset, size_t room),
         (fd, bytes, count, offset, room))

extern "C" __attribute__((visibility("default"))) int fsync(int fd) { return headrace::emulate::sync(fd, REAL(fsync)); }
extern "C" __attribute__((visibility("default"))) int fdatasync(int fd) {
  return headrace::emulate::sync(fd, REAL(fdatasync));
}
