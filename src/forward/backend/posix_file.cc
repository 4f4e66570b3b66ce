#include "forward/backend/posix_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

namespace headrace::forward {

timespec as_time(uint32_t set, uint32_t bit, int64_t nanoseconds) {
  if (!(set & bit)) return {0, UTIME_OMIT};
  if (nanoseconds == kTimeNow) return {0, UTIME_NOW};
  const int64_t rest = ((nanoseconds % 1'000'000'000) + 1'000'000'000) % 1'000'000'000;
  return {(nanoseconds - rest) / 1'000'000'000, static_cast<long>(rest)};
}

namespace {

int64_t nanoseconds(const statx_timestamp& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

}  // namespace

namespace {

Outcome<Attributes> ask(int fd, const char* path, int flags, dev_t* device) {
  struct statx status;
  if (statx(fd, path, flags, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) return Failed{errno};
  if (device != nullptr) *device = makedev(status.stx_dev_major, status.stx_dev_minor);
  Attributes attributes;
  attributes.mode = status.stx_mode;
  attributes.links = status.stx_nlink;
  attributes.user = status.stx_uid;
  attributes.group = status.stx_gid;
  attributes.block_size = status.stx_blksize;
  attributes.inode = status.stx_ino;
  attributes.size = status.stx_size;
  attributes.blocks = status.stx_blocks;
  attributes.accessed = nanoseconds(status.stx_atime);
  attributes.modified = nanoseconds(status.stx_mtime);
  attributes.changed = nanoseconds(status.stx_ctime);
  if (status.stx_mask & STATX_BTIME) attributes.born = nanoseconds(status.stx_btime);
  return attributes;
}

}  // namespace

Outcome<Attributes> attributes_of(int fd, dev_t* device) { return ask(fd, "", AT_EMPTY_PATH, device); }

Outcome<Attributes> attributes_at(int directory, const char* path, dev_t* device, bool itself) {
  return ask(directory, path, AT_NO_AUTOMOUNT | (itself ? AT_SYMLINK_NOFOLLOW : 0), device);
}

Outcome<uint64_t> PosixFile::read(Extent where, uint8_t* into) {
  uint64_t done = 0;
  while (done < where.length) {
    const ssize_t got =
        pread(descriptor_.get(), into + done, where.length - done, static_cast<off_t>(where.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed{errno};
    if (got == 0) break;
    done += static_cast<uint64_t>(got);
  }
  return done;
}

OpenFile::Written PosixFile::write(Extent where, const uint8_t* from) {
  uint64_t done = 0;
  while (done < where.length) {
    const ssize_t put =
        pwrite(descriptor_.get(), from + done, where.length - done, static_cast<off_t>(where.offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return {done, errno};
    if (put == 0) return {done, EIO};
    done += static_cast<uint64_t>(put);
  }
  return {done, 0};
}

OpenFile::Written PosixFile::write_parts(uint64_t offset, std::span<const iovec> parts) {
  uint64_t done = 0;
  while (!parts.empty()) {
    const int count = static_cast<int>(std::min<size_t>(parts.size(), IOV_MAX));
    const ssize_t put = pwritev(descriptor_.get(), parts.data(), count, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return {done, errno};
    if (put == 0) return {done, EIO};
    done += static_cast<uint64_t>(put);
    uint64_t left = static_cast<uint64_t>(put);
    while (!parts.empty() && left >= parts[0].iov_len) {
      left -= parts[0].iov_len;
      parts = parts.subspan(1);
    }
    if (left == 0) continue;
    // The rest of a part that was cut off.
    const Written rest =
        write({offset + done, parts[0].iov_len - left}, static_cast<uint8_t*>(parts[0].iov_base) + left);
    done += rest.bytes;
    if (rest.error != 0) return {done, rest.error};
    parts = parts.subspan(1);
  }
  return {done, 0};
}

// fsync, not fdatasync: sizes and times have to survive as well. Devices that know no fsync have nothing to lose.
int PosixFile::commit() { return fsync(descriptor_.get()) == 0 || errno == EINVAL ? 0 : errno; }

int PosixFile::resize(uint64_t size) { return ftruncate(descriptor_.get(), static_cast<off_t>(size)) == 0 ? 0 : errno; }

// Not ftruncate, which would cut off what another server wrote since the size was looked at.
int PosixFile::extend(uint64_t size) {
  const auto now = attributes();
  if (!now.ok()) return now.error();
  if (now->size >= size) return 0;
  const off_t last = static_cast<off_t>(size - 1);
  while (fallocate(descriptor_.get(), 0, last, 1) != 0) {
    if (errno == EINTR) continue;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
    const uint8_t zero = 0;
    return write({size - 1, 1}, &zero).error;
  }
  return 0;
}

Outcome<Attributes> PosixFile::attributes() { return attributes_of(descriptor_.get()); }

int PosixFile::set_attributes(uint32_t set, const Attributes& to) {
  const int fd = descriptor_.get();
  if (set & (kSetUser | kSetGroup)) {
    const uid_t user = set & kSetUser ? to.user : static_cast<uid_t>(-1);
    const gid_t group = set & kSetGroup ? to.group : static_cast<gid_t>(-1);
    if (fchown(fd, user, group) != 0) return errno;
  }
  if ((set & kSetMode) && fchmod(fd, to.mode & 07777) != 0) return errno;
  if (set & (kSetAccessed | kSetModified)) {
    const timespec times[] = {as_time(set, kSetAccessed, to.accessed), as_time(set, kSetModified, to.modified)};
    if (futimens(fd, times) != 0) return errno;
  }
  return 0;
}

}  // namespace headrace::forward
