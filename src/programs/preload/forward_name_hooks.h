// Calls on forwarded paths that ask and change what is there.
#pragma once
#include "programs/preload/forwarding.h"

namespace headrace::preload {

#define BY_PATH(ret, call)                            \
  if (forwards()) {                                   \
    ret result;                                       \
    if (forwarding->call) return result;              \
    path = forwarding->elsewhere(directory, path, 0); \
  }
#define BY_PATHS(call)                                     \
  if (forwards()) {                                        \
    int result;                                            \
    if (forwarding->call) return result;                   \
    from = forwarding->elsewhere(from_directory, from, 0); \
    to = forwarding->elsewhere(to_directory, to, 1);       \
  }
template <class Next>
struct ForwardNames : Next {
  // Of calls that have no parameters of these names.
  static constexpr int directory = AT_FDCWD, from_directory = AT_FDCWD, to_directory = AT_FDCWD;

  static int stat(const char* path, struct stat* into) {
    BY_PATH(int, stat(AT_FDCWD, path, 0, into, &result))
    return Next::stat(path, into);
  }
  static int lstat(const char* path, struct stat* into) {
    BY_PATH(int, stat(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, into, &result))
    return Next::lstat(path, into);
  }
  static int fstatat(int directory, const char* path, struct stat* into, int flags) {
    if (is_empty_path(path, flags) && is_forwarded(directory)) return forwarding->fstat(directory, into);
    BY_PATH(int, stat(directory, path, flags, into, &result))
    return Next::fstatat(directory, path, into, flags);
  }
  static int __xstat(int version, const char* path, struct stat* into) {
    BY_PATH(int, stat(AT_FDCWD, path, 0, into, &result))
    return Next::__xstat(version, path, into);
  }
  static int __lxstat(int version, const char* path, struct stat* into) {
    BY_PATH(int, stat(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, into, &result))
    return Next::__lxstat(version, path, into);
  }
  static int __fxstatat(int version, int directory, const char* path, struct stat* into, int flags) {
    if (is_empty_path(path, flags) && is_forwarded(directory)) return forwarding->fstat(directory, into);
    BY_PATH(int, stat(directory, path, flags, into, &result))
    return Next::__fxstatat(version, directory, path, into, flags);
  }
  static int statx(int directory, const char* path, int flags, unsigned mask, struct statx* into) {
    if (is_empty_path(path, flags) && is_forwarded(directory)) return forwarding->fstatx(directory, into);
    BY_PATH(int, statx(directory, path, flags, into, &result))
    return Next::statx(directory, path, flags, mask, into);
  }
  static int access(const char* path, int mode) {
    BY_PATH(int, access(AT_FDCWD, path, mode, 0, &result))
    return Next::access(path, mode);
  }
  static int faccessat(int directory, const char* path, int mode, int flags) {
    BY_PATH(int, access(directory, path, mode, flags, &result))
    return Next::faccessat(directory, path, mode, flags);
  }
  static int eaccess(const char* path, int mode) {
    BY_PATH(int, access(AT_FDCWD, path, mode, AT_EACCESS, &result))
    return Next::eaccess(path, mode);
  }
  static ssize_t readlink(const char* path, char* buffer, size_t size) {
    BY_PATH(ssize_t, readlink(AT_FDCWD, path, buffer, size, &result))
    return Next::readlink(path, buffer, size);
  }
  static ssize_t __readlink_chk(const char* path, char* buffer, size_t size, size_t capacity) {
    BY_PATH(ssize_t, readlink(AT_FDCWD, path, buffer, size, &result))
    return Next::__readlink_chk(path, buffer, size, capacity);
  }
  static ssize_t readlinkat(int directory, const char* path, char* buffer, size_t size) {
    BY_PATH(ssize_t, readlink(directory, path, buffer, size, &result))
    return Next::readlinkat(directory, path, buffer, size);
  }
  static ssize_t __readlinkat_chk(int directory, const char* path, char* buffer, size_t size, size_t capacity) {
    BY_PATH(ssize_t, readlink(directory, path, buffer, size, &result))
    return Next::__readlinkat_chk(directory, path, buffer, size, capacity);
  }
  static int truncate(const char* path, off_t size) {
    BY_PATH(int, truncate(path, size, &result))
    return Next::truncate(path, size);
  }
  static int unlink(const char* path) {
    BY_PATH(int, unlink(AT_FDCWD, path, 0, &result))
    return Next::unlink(path);
  }
  static int unlinkat(int directory, const char* path, int flags) {
    BY_PATH(int, unlink(directory, path, flags, &result))
    return Next::unlinkat(directory, path, flags);
  }
  static int rmdir(const char* path) {
    BY_PATH(int, unlink(AT_FDCWD, path, AT_REMOVEDIR, &result))
    return Next::rmdir(path);
  }
  static int remove(const char* path) {
    BY_PATH(int, remove(path, &result))
    return Next::remove(path);
  }
  static int rename(const char* from, const char* to) {
    BY_PATHS(rename(AT_FDCWD, from, AT_FDCWD, to, 0, &result))
    return Next::rename(from, to);
  }
  static int renameat(int from_directory, const char* from, int to_directory, const char* to) {
    BY_PATHS(rename(from_directory, from, to_directory, to, 0, &result))
    return Next::renameat(from_directory, from, to_directory, to);
  }
  static int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
    BY_PATHS(rename(from_directory, from, to_directory, to, flags, &result))
    return Next::renameat2(from_directory, from, to_directory, to, flags);
  }
  static int link(const char* from, const char* to) {
    BY_PATHS(link(AT_FDCWD, from, AT_FDCWD, to, 0, &result))
    return Next::link(from, to);
  }
  static int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) {
    BY_PATHS(link(from_directory, from, to_directory, to, flags, &result))
    return Next::linkat(from_directory, from, to_directory, to, flags);
  }
  static int symlink(const char* target, const char* path) {
    BY_PATH(int, symlink(target, AT_FDCWD, path, &result))
    return Next::symlink(target, path);
  }
  static int symlinkat(const char* target, int directory, const char* path) {
    BY_PATH(int, symlink(target, directory, path, &result))
    return Next::symlinkat(target, directory, path);
  }
  static int mkdir(const char* path, mode_t mode) {
    BY_PATH(int, mkdir(AT_FDCWD, path, mode, &result))
    return Next::mkdir(path, mode);
  }
  static int mkdirat(int directory, const char* path, mode_t mode) {
    BY_PATH(int, mkdir(directory, path, mode, &result))
    return Next::mkdirat(directory, path, mode);
  }
  static int chmod(const char* path, mode_t mode) {
    BY_PATH(int, chmod(AT_FDCWD, path, mode, 0, &result))
    return Next::chmod(path, mode);
  }
  static int fchmodat(int directory, const char* path, mode_t mode, int flags) {
    BY_PATH(int, chmod(directory, path, mode, flags, &result))
    return Next::fchmodat(directory, path, mode, flags);
  }
  static int chown(const char* path, uid_t user, gid_t group) {
    BY_PATH(int, chown(AT_FDCWD, path, user, group, 0, &result))
    return Next::chown(path, user, group);
  }
  static int lchown(const char* path, uid_t user, gid_t group) {
    BY_PATH(int, chown(AT_FDCWD, path, user, group, AT_SYMLINK_NOFOLLOW, &result))
    return Next::lchown(path, user, group);
  }
  static int fchownat(int directory, const char* path, uid_t user, gid_t group, int flags) {
    if (is_empty_path(path, flags) && is_forwarded(directory)) return forwarding->fchown(directory, user, group);
    BY_PATH(int, chown(directory, path, user, group, flags, &result))
    return Next::fchownat(directory, path, user, group, flags);
  }
  static int utime(const char* path, const struct utimbuf* times) {
    if (forwards()) {
      int result;
      const timespec values[] = {{times ? times->actime : 0, 0}, {times ? times->modtime : 0, 0}};
      if (forwarding->utimens(AT_FDCWD, path, times ? values : nullptr, 0, &result)) return result;
      path = forwarding->elsewhere(AT_FDCWD, path, 0);
    }
    return Next::utime(path, times);
  }
  static int utimes(const char* path, const struct timeval* times) {
    if (forwards()) {
      int result;
      const Times values(times);
      if (forwarding->utimens(AT_FDCWD, path, values.get(), 0, &result)) return result;
      path = forwarding->elsewhere(AT_FDCWD, path, 0);
    }
    return Next::utimes(path, times);
  }
  static int lutimes(const char* path, const struct timeval* times) {
    if (forwards()) {
      int result;
      const Times values(times);
      if (forwarding->utimens(AT_FDCWD, path, values.get(), AT_SYMLINK_NOFOLLOW, &result)) return result;
      path = forwarding->elsewhere(AT_FDCWD, path, 0);
    }
    return Next::lutimes(path, times);
  }
  static int utimensat(int directory, const char* path, const struct timespec* times, int flags) {
    if (path == nullptr && is_forwarded(directory)) return forwarding->futimens(directory, times);
    BY_PATH(int, utimens(directory, path, times, flags, &result))
    return Next::utimensat(directory, path, times, flags);
  }

 private:
  static bool is_empty_path(const char* path, int flags) { return (flags & AT_EMPTY_PATH) && path && !*path; }
  static bool is_forwarded(int fd) { return preload::is_forwarded(fd); }
};
#undef BY_PATH
#undef BY_PATHS

}  // namespace headrace::preload
