#include "forward/program/attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "forward/backend/backend.h"

namespace headrace::forward::program {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

/// Rounded down, so that the part is never negative.
timespec time_of(int64_t ns) {
  const int64_t rest = (ns % kSecond + kSecond) % kSecond;
  return {static_cast<time_t>((ns - rest) / kSecond), static_cast<long>(rest)};
}

statx_timestamp stamp_of(int64_t ns) {
  const timespec time = time_of(ns);
  statx_timestamp stamp = {};
  stamp.tv_sec = time.tv_sec;
  stamp.tv_nsec = static_cast<uint32_t>(time.tv_nsec);
  return stamp;
}

bool is_in_group(gid_t group) {
  if (getegid() == group) return true;
  std::vector<gid_t> groups(static_cast<size_t>(std::max(getgroups(0, nullptr), 0)));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  return count > 0 && std::find(groups.begin(), groups.begin() + count, group) != groups.begin() + count;
}

}  // namespace

void fill(const Attributes& from, dev_t device, struct stat* into) {
  *into = {};
  into->st_dev = device;
  into->st_ino = from.inode;
  into->st_mode = from.mode;
  into->st_nlink = from.links;
  into->st_uid = from.user;
  into->st_gid = from.group;
  into->st_size = static_cast<off_t>(from.size);
  into->st_blksize = static_cast<blksize_t>(from.block_size);
  into->st_blocks = static_cast<blkcnt_t>(from.blocks);
  into->st_atim = time_of(from.accessed);
  into->st_mtim = time_of(from.modified);
  into->st_ctim = time_of(from.changed);
}

void fill(const Attributes& from, dev_t device, struct statx* into) {
  memset(into, 0, sizeof *into);
  into->stx_mask = STATX_BASIC_STATS | (from.born != 0 ? STATX_BTIME : 0);
  into->stx_blksize = from.block_size;
  into->stx_nlink = from.links;
  into->stx_uid = from.user;
  into->stx_gid = from.group;
  into->stx_mode = static_cast<uint16_t>(from.mode);
  into->stx_ino = from.inode;
  into->stx_size = from.size;
  into->stx_blocks = from.blocks;
  into->stx_atime = stamp_of(from.accessed);
  into->stx_btime = stamp_of(from.born);
  into->stx_ctime = stamp_of(from.changed);
  into->stx_mtime = stamp_of(from.modified);
  into->stx_dev_major = major(device);
  into->stx_dev_minor = minor(device);
}

int check_access(const Attributes& of, int mode) {
  const uid_t user = geteuid();
  const uint32_t any_execute = S_IXUSR | S_IXGRP | S_IXOTH;
  if (user == 0) return (mode & X_OK) && !S_ISDIR(of.mode) && !(of.mode & any_execute) ? EACCES : 0;
  uint32_t granted = of.mode;
  if (of.user == user)
    granted >>= 6;
  else if (is_in_group(of.group))
    granted >>= 3;
  const auto wanted = static_cast<uint32_t>(mode & (R_OK | W_OK | X_OK));
  return (granted & wanted) == wanted ? 0 : EACCES;
}

uint32_t times_to_set(const timespec* times, Attributes* into) {
  const auto one = [](const timespec& time) {
    return time.tv_nsec == UTIME_NOW ? kTimeNow : time.tv_sec * kSecond + time.tv_nsec;
  };
  if (times == nullptr) {
    into->accessed = into->modified = kTimeNow;
    return kSetAccessed | kSetModified;
  }
  uint32_t set = 0;
  if (times[0].tv_nsec != UTIME_OMIT) set |= kSetAccessed, into->accessed = one(times[0]);
  if (times[1].tv_nsec != UTIME_OMIT) set |= kSetModified, into->modified = one(times[1]);
  return set;
}

mode_t current_umask() {
  // umask() itself would change it for other threads meanwhile.
  char text[256];
  const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  text[std::max<ssize_t>(size, 0)] = '\0';
  const char* line = strstr(text, "\nUmask:");
  return line != nullptr ? static_cast<mode_t>(strtoul(line + 7, nullptr, 8)) & 0777 : 022;
}

}  // namespace headrace::forward::program
