// Calls on forwarded descriptors that move no bytes.
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "forward/program/attributes.h"
#include "forward/program/inside.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

/// Does `act(client, file)`, which gives an error number.
template <typename Act>
int on_file(int fd, Act act) {
  const Held file(fd);
  if (!file) return fail(EBADF);
  Servers& servers = servers_of(file->prefix());
  Client* client = servers.client();
  if (client == nullptr) return fail(EIO);
  const int error = servers.error(act(*client, *file));
  return error == 0 ? 0 : fail(error);
}

}  // namespace

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
  return on_file(fd, [&](Client& client, Description& file) {
    const auto attributes = client.attributes(file.handle());
    if (attributes.ok()) fill(*attributes, servers_of(file.prefix()).device(), into);
    return attributes.error();
  });
}

int fstatx_file(int fd, struct statx* into) {
  return on_file(fd, [&](Client& client, Description& file) {
    const auto attributes = client.attributes(file.handle());
    if (attributes.ok()) fill(*attributes, servers_of(file.prefix()).device(), into);
    return attributes.error();
  });
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
    if (mode != 0) return EOPNOTSUPP;
    off_t end;
    if (__builtin_add_overflow(offset, size, &end)) return EFBIG;
    const auto attributes = client.attributes(file.handle());
    if (!attributes.ok()) return attributes.error();
    if (attributes->size >= static_cast<uint64_t>(end)) return 0;
    return client.resize(file.handle(), static_cast<uint64_t>(end)).error();
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
      return fail(EINVAL);
  }
}

}  // namespace headrace::forward::program
