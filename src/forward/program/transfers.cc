// Reading and writing of forwarded descriptors.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "forward/program/gathering.h"
#include "forward/program/inside.h"
#include "forward/program/open_files.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

constexpr uint64_t kMostTransfer = 0x7ffff000;  // of one call, as in the kernel
constexpr uint64_t kEnd = INT64_MAX;            // no file has a byte there
constexpr size_t kTransferCopy = 1 << 20;

/// Memory of a call, cut to what one call moves. EINVAL as the kernel has it.
struct Memory {
  std::vector<iovec> parts;
  uint64_t bytes = 0;
  int error = 0;

  Memory(const iovec* vector, int count) {
    if (count < 0 || count > 1024) error = EINVAL;
    for (int i = 0; error == 0 && i < count; ++i) {
      if (vector[i].iov_len > kEnd - bytes) error = EINVAL;
      const uint64_t length = std::min<uint64_t>(vector[i].iov_len, kMostTransfer - std::min(kMostTransfer, bytes));
      if (length > 0) parts.push_back({vector[i].iov_base, length});
      bytes += length;
    }
  }
};

/// Whoever has a lock must not go on when it is gone.
bool lost_lock(Client& client, Servers& servers, Description& file, const Handle& handle) {
  if (!file.lost_lock(client.connection(handle))) return false;
  servers.say("the lock of " + std::string(file.path()) + " was lost with the connection; calls on it fail with EIO");
  return true;
}

ssize_t read_at(Description& file, const Memory& memory, uint64_t offset) {
  if (memory.error != 0) return fail<ssize_t>(memory.error);
  if (file.is_directory()) return fail<ssize_t>(EISDIR);
  if (memory.bytes == 0 || offset >= kEnd) return 0;
  Servers& servers = servers_of(file.prefix());
  Client* client = servers.client();
  if (client == nullptr) return fail<ssize_t>(EIO);
  const Extent where{offset, std::min(memory.bytes, kEnd - offset)};
  const Handle handle = file.handle();
  if (lost_lock(*client, servers, file, handle)) return fail<ssize_t>(EIO);
  tell_open(*client, file, handle);
  const auto got = client->read(handle, memory.parts, {&where, 1});
  tell_again(*client, file.prefix());
  if (!got.ok()) return fail<ssize_t>(servers.error(got.error()));
  return static_cast<ssize_t>((*got)[0]);
}

/// What was stored in front of the first part that was not.
ssize_t stored(uint64_t offset, const std::vector<BadRange>& bad, int error) {
  uint64_t first = UINT64_MAX;
  for (const BadRange& each : bad) first = std::min(first, each.where.offset);
  if (first > offset && first != UINT64_MAX) return static_cast<ssize_t>(first - offset);
  return fail<ssize_t>(error);
}

/// `end` receives where the bytes end, if any were stored.
ssize_t write_at(Description& file, const Memory& memory, uint64_t offset, uint64_t* end) {
  if (memory.error != 0) return fail<ssize_t>(memory.error);
  if (memory.bytes == 0) return 0;
  Servers& servers = servers_of(file.prefix());
  Client* client = servers.client();
  if (client == nullptr) return fail<ssize_t>(EIO);
  const Handle handle = file.handle();
  if (lost_lock(*client, servers, file, handle)) return fail<ssize_t>(EIO);
  tell_open(*client, file, handle);
  file.set_written();
  const uint32_t open_flags = file.flags(), flags = open_flags & (O_SYNC | O_DSYNC) ? kThrough : 0;
  auto bytes = static_cast<ssize_t>(memory.bytes);
  if (open_flags & O_APPEND) {
    const auto at = client->append(handle, memory.parts, flags);
    if (!at.ok()) return fail<ssize_t>(servers.error(at.error()));
    offset = *at;
  } else {
    if (offset >= kEnd - memory.bytes) return fail<ssize_t>(EFBIG);
    std::vector<BadRange> bad;
    const Extent where{offset, memory.bytes};
    const int error = client->write(handle, memory.parts, {&where, 1}, flags, &bad);
    if (error != 0) bytes = stored(offset, bad, servers.error(error));
  }
  tell_again(*client, file.prefix());
  if (bytes > 0) *end = offset + static_cast<uint64_t>(bytes);
  return bytes;
}

ssize_t move_some(int fd, off_t* offset, std::vector<uint8_t>& buffer, size_t size, bool reads) {
  const iovec part{buffer.data(), size};
  const Held held(fd);
  ssize_t moved;
  if (held && reads)
    moved = offset != nullptr ? preadv_file(fd, &part, 1, *offset) : readv_file(fd, &part, 1);
  else if (held)
    moved = offset != nullptr ? pwritev_file(fd, &part, 1, *offset) : writev_file(fd, &part, 1);
  else if (reads)
    moved = offset != nullptr ? pread(fd, part.iov_base, size, *offset) : read(fd, part.iov_base, size);
  else
    moved = offset != nullptr ? pwrite(fd, part.iov_base, size, *offset) : write(fd, part.iov_base, size);
  return moved;
}

}  // namespace

ssize_t readv_file(int fd, const iovec* vector, int count) {
  const Held file(fd);
  if (!file || !file->may_read()) return fail<ssize_t>(EBADF);
  const Description::PositionLock lock(*file);
  const ssize_t got = read_at(*file, Memory(vector, count), file->position());
  if (got > 0) file->position() += static_cast<uint64_t>(got);
  return got;
}

ssize_t preadv_file(int fd, const iovec* vector, int count, off_t offset) {
  const Held file(fd);
  if (!file || !file->may_read()) return fail<ssize_t>(EBADF);
  if (offset < 0) return fail<ssize_t>(EINVAL);
  return read_at(*file, Memory(vector, count), static_cast<uint64_t>(offset));
}

ssize_t writev_file(int fd, const iovec* vector, int count) {
  const Held file(fd);
  if (!file || !file->may_write()) return fail<ssize_t>(EBADF);
  const Description::PositionLock lock(*file);
  uint64_t end = file->position();
  const ssize_t put = write_at(*file, Memory(vector, count), end, &end);
  file->position() = end;
  return put;
}

ssize_t pwritev_file(int fd, const iovec* vector, int count, off_t offset) {
  const Held file(fd);
  if (!file || !file->may_write()) return fail<ssize_t>(EBADF);
  if (offset < 0) return fail<ssize_t>(EINVAL);
  uint64_t end = 0;
  const Memory memory(vector, count);
  const auto at = static_cast<uint64_t>(offset);
  const bool may_wait = memory.error == 0 && !(file->flags() & O_APPEND) && at < kEnd - memory.bytes;
  if (may_wait && gather(fd, memory.parts, memory.bytes, at)) return static_cast<ssize_t>(memory.bytes);
  return write_at(*file, memory, at, &end);
}

int write_list(int fd, iovec bytes, const std::vector<Extent>& extents) {
  const Held file(fd);
  if (!file) return EBADF;
  Servers& servers = servers_of(file->prefix());
  Client* client = servers.client();
  if (client == nullptr) return EIO;
  const Handle handle = file->handle();
  if (lost_lock(*client, servers, *file, handle)) return EIO;
  tell_open(*client, *file, handle);
  file->set_written();
  const uint32_t flags = file->flags() & (O_SYNC | O_DSYNC) ? kThrough : 0;
  return servers.error(client->write(handle, {&bytes, 1}, extents, flags));
}

ssize_t copy_files(int in, off_t* in_offset, int out, off_t* out_offset, size_t size) {
  std::vector<uint8_t> buffer(std::min(size, kTransferCopy));
  off_t from = in_offset != nullptr ? *in_offset : 0;
  const ssize_t got = move_some(in, in_offset, buffer, buffer.size(), true);
  if (got <= 0) return got;
  ssize_t put = 0;
  off_t to = out_offset != nullptr ? *out_offset : 0;
  while (put < got) {
    std::vector<uint8_t> rest(buffer.begin() + put, buffer.begin() + got);
    const ssize_t now = move_some(out, out_offset != nullptr ? &to : nullptr, rest, rest.size(), false);
    if (now <= 0) break;
    put += now;
    to += now;
  }
  // What was read and found no place is read again by the next call.
  if (in_offset != nullptr)
    *in_offset = from + put;
  else if (put < got && Held(in))
    lseek_file(in, put - got, SEEK_CUR);
  else if (put < got)
    lseek(in, put - got, SEEK_CUR);
  if (out_offset != nullptr) *out_offset = to;
  return put > 0 ? put : -1;
}

/// A private map, or one that only reads, is a copy of what the file has now.
void* map_file(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
  const Held file(fd);
  const auto failed = [](int error) { return errno = error, MAP_FAILED; };
  if (!file || file->is_directory()) return failed(ENODEV);
  if (!file->may_read()) return failed(EACCES);
  const bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;
  if (shared && (protection & PROT_WRITE)) {
    if (!file->may_write()) return failed(EACCES);
    // A copy would not be shared: two processes that map a file would each lose what the other one writes.
    servers_of(file->prefix())
        .note(Servers::kSharedMap,
              "a shared map of " + std::string(file->path()) +
                  " that is written is refused with ENODEV; have the program read and write instead (SQLite: no WAL), "
                  "map it privately, or use `headrace mount`");
    return failed(ENODEV);
  }
  if (size == 0 || offset < 0 || offset % sysconf(_SC_PAGESIZE) != 0) return failed(EINVAL);
  const int kept = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT | MAP_NORESERVE | MAP_LOCKED);
  void* memory = mmap(address, size, PROT_READ | PROT_WRITE, kept | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return memory;
  for (size_t done = 0; done < size;) {
    const iovec part{static_cast<uint8_t*>(memory) + done, size - done};
    const ssize_t got = read_at(*file, Memory(&part, 1), static_cast<uint64_t>(offset) + done);
    if (got < 0) {
      const int error = errno;
      munmap(memory, size);
      return failed(error);
    }
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  if (mprotect(memory, size, protection) != 0) {
    const int error = errno;
    munmap(memory, size);
    return failed(error);
  }
  return memory;
}

}  // namespace headrace::forward::program
