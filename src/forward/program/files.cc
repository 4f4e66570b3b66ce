// Calls on forwarded descriptors that move no bytes.
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "forward/program/attributes.h"
#include "forward/program/inside.h"
#include "forward/program/open_files.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

/// Does `act(client, file)`, which gives an error number.
template <typename Act>
int on_file(int fd, Act act, bool paths_too = false) {
  const Held file(fd);
  if (!file || (file->is_path_only() && !paths_too)) return fail(EBADF);
  Servers& servers = servers_of(file->prefix());
  Client* client = servers.client();
  if (client == nullptr) return fail(EIO);
  tell_open(*client, *file, file->handle());
  const int error = servers.error(act(*client, *file));
  tell_again(*client, file->prefix());
  return error == 0 ? 0 : fail(error);
}

/// Zeros where there is data; what lies behind the end of the file stays so if `keeps_size`. An error number.
int clear_range(Client& client, Description& file, uint64_t from, uint64_t to, bool keeps_size) {
  const Handle handle = file.handle();
  const auto attributes = client.attributes(handle);
  if (!attributes.ok()) return attributes.error();
  const uint64_t end = std::min<uint64_t>(to, attributes->size);
  const std::vector<uint8_t> zeros(std::min<uint64_t>(end > from ? end - from : 0, 1 << 20));
  if (end > from) file.set_written();
  for (uint64_t at = from; at < end;) {
    const uint64_t length = std::min<uint64_t>(end - at, zeros.size());
    const iovec part{const_cast<uint8_t*>(zeros.data()), length};
    const Extent where{at, length};
    if (const int error = client.write(handle, {&part, 1}, {&where, 1}); error != 0) return error;
    at += length;
  }
  if (keeps_size || to <= attributes->size) return 0;
  return client.resize(handle, to).error();
}

/// Of signals that tell of a descriptor, which a file never sends, and leases, which its servers do not give.
int owner_of_signals(const Description& file, int command, void* argument) {
  if (file.is_path_only()) return fail(EBADF);
  switch (command) {
    case F_GETOWN:
    case F_SETOWN:
    case F_GETSIG:
    case F_SETSIG:
      return 0;
    case F_GETOWN_EX:
      *static_cast<struct f_owner_ex*>(argument) = {F_OWNER_TID, 0};
      return 0;
    case F_GETLEASE:
      return F_UNLCK;
    default:
      return fail(EINVAL);
  }
}

}  // namespace

void refused_file(int fd) {
  const Held file(fd);
  if (!file) return;
  servers_of(file->prefix())
      .note(Servers::kAsynchronous,
            "io_uring and libaio on " + std::string(file->path()) +
                " are refused with EBADF; have the program read and write by ordinary calls or aio_read() and "
                "aio_write(), or use `headrace mount`, which they work on");
}

off_t lseek_file(int fd, off_t offset, int whence) {
  const Held file(fd);
  if (!file) return fail<off_t>(EBADF);
  struct stat status = {};
  const bool from_size = whence == SEEK_END || whence == SEEK_DATA || whence == SEEK_HOLE;
  if (from_size && fstat_file(fd, &status) != 0) return -1;
  const Description::PositionLock lock(*file);
  off_t to = offset;
  if (whence == SEEK_CUR || whence == SEEK_END) {
    const off_t from = whence == SEEK_CUR ? static_cast<off_t>(file->position().load()) : status.st_size;
    if (__builtin_add_overflow(from, offset, &to)) return fail<off_t>(EOVERFLOW);
  } else if (whence == SEEK_DATA || whence == SEEK_HOLE) {
    // All of it may be data, which is always a right answer.
    if (offset < 0 || offset >= status.st_size) return fail<off_t>(ENXIO);
    if (whence == SEEK_HOLE) to = status.st_size;
  } else if (whence != SEEK_SET) {
    return fail<off_t>(EINVAL);
  }
  if (to < 0) return fail<off_t>(EINVAL);
  file->position() = static_cast<uint64_t>(to);
  return to;
}

int fstat_file(int fd, struct stat* into) {
  return on_file(
      fd,
      [&](Client& client, Description& file) {
        const auto attributes = client.attributes(file.handle());
        if (attributes.ok()) fill(*attributes, servers_of(file.prefix()).device(), into);
        return attributes.error();
      },
      true);
}

int fstatx_file(int fd, struct statx* into) {
  return on_file(
      fd,
      [&](Client& client, Description& file) {
        const auto attributes = client.attributes(file.handle());
        if (attributes.ok()) fill(*attributes, servers_of(file.prefix()).device(), into);
        return attributes.error();
      },
      true);
}

int ftruncate_file(int fd, off_t size) {
  return on_file(fd, [&](Client& client, Description& file) {
    if (!file.may_write() || size < 0) return EINVAL;
    return client.resize(file.handle(), static_cast<uint64_t>(size)).error();
  });
}

int allocate_file(int fd, int mode, off_t offset, off_t size) {
  return on_file(fd, [&](Client& client, Description& file) {
    if (!file.may_write()) return EBADF;
    if (offset < 0 || size <= 0) return EINVAL;
    off_t end;
    if (__builtin_add_overflow(offset, size, &end)) return EFBIG;
    const auto from = static_cast<uint64_t>(offset), to = static_cast<uint64_t>(end);
    if (mode == FALLOC_FL_KEEP_SIZE) return 0;  // space is not set aside for what has a size either
    if (mode == (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)) return clear_range(client, file, from, to, true);
    if (mode == (FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE)) return clear_range(client, file, from, to, true);
    if (mode == FALLOC_FL_ZERO_RANGE) return clear_range(client, file, from, to, false);
    if (mode != 0) return EOPNOTSUPP;
    const auto attributes = client.attributes(file.handle());
    if (!attributes.ok()) return attributes.error();
    if (attributes->size >= to) return 0;
    return client.resize(file.handle(), to).error();
  });
}

int fsync_file(int fd) {
  return on_file(
      fd, [](Client& client, Description& file) { return file.is_directory() ? 0 : client.commit(file.handle()); });
}

int fchmod_file(int fd, mode_t mode) {
  return on_file(fd, [&](Client& client, Description& file) {
    Attributes to;
    to.mode = mode;
    return client.set_attributes(file.handle(), kSetMode, to).error();
  });
}

int fchown_file(int fd, uid_t user, gid_t group) {
  return on_file(fd, [&](Client& client, Description& file) {
    Attributes to;
    to.user = user;
    to.group = group;
    const uint32_t set =
        (user != static_cast<uid_t>(-1) ? kSetUser : 0) | (group != static_cast<gid_t>(-1) ? kSetGroup : 0);
    return client.set_attributes(file.handle(), set, to).error();
  });
}

int futimens_file(int fd, const timespec* times) {
  return on_file(fd, [&](Client& client, Description& file) {
    Attributes to;
    const uint32_t set = times_to_set(times, &to);
    return client.set_attributes(file.handle(), set, to).error();
  });
}

int fcntl_file(int fd, int command, void* argument) {
  const Held file(fd);
  if (!file) return fail(EBADF);
  const auto value = static_cast<int>(reinterpret_cast<intptr_t>(argument));
  constexpr uint32_t kChangeable = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK;
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: {
      const int copy = fcntl(fd, command, value);
      if (copy >= 0) copy_descriptor(fd, copy);
      return copy;
    }
    case F_GETFD:
    case F_SETFD:
      return fcntl(fd, command, value);
    case F_GETFL:
      return static_cast<int>(file->flags().load());
    case F_SETFL:
      file->flags() = (file->flags() & ~kChangeable) | (static_cast<uint32_t>(value) & kChangeable);
      return 0;
    default:
      return owner_of_signals(*file, command, argument);
  }
}

}  // namespace headrace::forward::program
