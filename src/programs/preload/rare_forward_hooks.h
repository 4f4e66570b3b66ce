// Calls on forwarded paths and descriptors that programs rarely make: each is made of others, or refused with the error
// number that a file system gives which lacks it.
#pragma once
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include "programs/preload/forwarding.h"

namespace headrace::preload {

template <class Next>
struct RareForwardHooks : Next {
#define REFUSED(ret, error, directory, path)                                                   \
  if (forwards()) {                                                                            \
    if (forwarding->is_forwarded(directory, path)) return errno = error, static_cast<ret>(-1); \
    path = forwarding->elsewhere(directory, path, 0);                                          \
  }
  // ---- extended attributes
  static ssize_t getxattr(const char* path, const char* name, void* value, size_t size) {
    REFUSED(ssize_t, ENOTSUP, AT_FDCWD, path)
    return Next::getxattr(path, name, value, size);
  }
  static ssize_t lgetxattr(const char* path, const char* name, void* value, size_t size) {
    REFUSED(ssize_t, ENOTSUP, AT_FDCWD, path)
    return Next::lgetxattr(path, name, value, size);
  }
  static ssize_t fgetxattr(int fd, const char* name, void* value, size_t size) {
    if (is_forwarded(fd)) return errno = ENOTSUP, -1;
    return Next::fgetxattr(fd, name, value, size);
  }
  static int setxattr(const char* path, const char* name, const void* value, size_t size, int flags) {
    REFUSED(int, ENOTSUP, AT_FDCWD, path)
    return Next::setxattr(path, name, value, size, flags);
  }
  static int lsetxattr(const char* path, const char* name, const void* value, size_t size, int flags) {
    REFUSED(int, ENOTSUP, AT_FDCWD, path)
    return Next::lsetxattr(path, name, value, size, flags);
  }
  static int fsetxattr(int fd, const char* name, const void* value, size_t size, int flags) {
    if (is_forwarded(fd)) return errno = ENOTSUP, -1;
    return Next::fsetxattr(fd, name, value, size, flags);
  }
  static ssize_t listxattr(const char* path, char* list, size_t size) {
    REFUSED(ssize_t, ENOTSUP, AT_FDCWD, path)
    return Next::listxattr(path, list, size);
  }
  static ssize_t llistxattr(const char* path, char* list, size_t size) {
    REFUSED(ssize_t, ENOTSUP, AT_FDCWD, path)
    return Next::llistxattr(path, list, size);
  }
  static ssize_t flistxattr(int fd, char* list, size_t size) {
    if (is_forwarded(fd)) return errno = ENOTSUP, -1;
    return Next::flistxattr(fd, list, size);
  }
  static int removexattr(const char* path, const char* name) {
    REFUSED(int, ENOTSUP, AT_FDCWD, path)
    return Next::removexattr(path, name);
  }
  static int lremovexattr(const char* path, const char* name) {
    REFUSED(int, ENOTSUP, AT_FDCWD, path)
    return Next::lremovexattr(path, name);
  }
  static int fremovexattr(int fd, const char* name) {
    if (is_forwarded(fd)) return errno = ENOTSUP, -1;
    return Next::fremovexattr(fd, name);
  }

  // ---- pipes and devices; a plain file can be made this way too
  static int mkfifo(const char* path, mode_t mode) {
    REFUSED(int, EPERM, AT_FDCWD, path)
    return Next::mkfifo(path, mode);
  }
  static int mkfifoat(int directory, const char* path, mode_t mode) {
    REFUSED(int, EPERM, directory, path)
    return Next::mkfifoat(directory, path, mode);
  }
  static int mknod(const char* path, mode_t mode, dev_t device) {
    int result;
    if (makes_file(AT_FDCWD, path, mode, &result)) return result;
    REFUSED(int, EPERM, AT_FDCWD, path)
    return Next::mknod(path, mode, device);
  }
  static int mknodat(int directory, const char* path, mode_t mode, dev_t device) {
    int result;
    if (makes_file(directory, path, mode, &result)) return result;
    REFUSED(int, EPERM, directory, path)
    return Next::mknodat(directory, path, mode, device);
  }
  static int __xmknod(int version, const char* path, mode_t mode, dev_t* device) {
    int result;
    if (makes_file(AT_FDCWD, path, mode, &result)) return result;
    REFUSED(int, EPERM, AT_FDCWD, path)
    return Next::__xmknod(version, path, mode, device);
  }
  static int __xmknodat(int version, int directory, const char* path, mode_t mode, dev_t* device) {
    int result;
    if (makes_file(directory, path, mode, &result)) return result;
    REFUSED(int, EPERM, directory, path)
    return Next::__xmknodat(version, directory, path, mode, device);
  }

  // ---- attributes and limits
  static int lchmod(const char* path, mode_t mode) {
    int result;
    if (forwards() && forwarding->chmod(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW, &result)) return result;
    if (forwards()) path = forwarding->elsewhere(AT_FDCWD, path, 0);
    return Next::lchmod(path, mode);
  }
  static int futimesat(int directory, const char* path, const struct timeval* times) {
    if (!forwards()) return Next::futimesat(directory, path, times);
    if (!path)
      return is_forwarded(directory) ? Next::futimes(directory, times) : Next::futimesat(directory, path, times);
    timespec values[2] = {};
    for (int i = 0; times && i < 2; ++i) values[i] = {times[i].tv_sec, times[i].tv_usec * 1000};
    int result;
    if (forwarding->utimens(directory, path, times ? values : nullptr, 0, &result)) return result;
    return Next::futimesat(directory, forwarding->elsewhere(directory, path, 0), times);
  }
  /// What the servers' file system allows is not known; a path may not be longer than this machine's.
  static long pathconf(const char* path, int name) {
    int result;
    if (!forwards()) return Next::pathconf(path, name);
    if (!forwarding->access(AT_FDCWD, path, F_OK, 0, &result))
      return Next::pathconf(forwarding->elsewhere(AT_FDCWD, path, 0), name);
    return result == 0 ? Next::pathconf("/", name) : -1;
  }
  static long fpathconf(int fd, int name) {
    return is_forwarded(fd) ? Next::pathconf("/", name) : Next::fpathconf(fd, name);
  }
  static int statfs(const char* path, struct statfs* into) {
    int result;
    if (!forwards()) return Next::statfs(path, into);
    if (forwarding->access(AT_FDCWD, path, F_OK, 0, &result)) return result == 0 ? fill(into) : -1;
    return Next::statfs(forwarding->elsewhere(AT_FDCWD, path, 0), into);
  }
  static int statvfs(const char* path, struct statvfs* into) {
    int result;
    if (!forwards()) return Next::statvfs(path, into);
    if (forwarding->access(AT_FDCWD, path, F_OK, 0, &result)) return result == 0 ? fill(into) : -1;
    return Next::statvfs(forwarding->elsewhere(AT_FDCWD, path, 0), into);
  }
  static int fstatfs(int fd, struct statfs* into) { return is_forwarded(fd) ? fill(into) : Next::fstatfs(fd, into); }
  static int fstatvfs(int fd, struct statvfs* into) { return is_forwarded(fd) ? fill(into) : Next::fstatvfs(fd, into); }
#undef REFUSED

 private:
  static bool is_forwarded(int fd) { return preload::is_forwarded(fd); }
  /// How much there is and is free is not known: 0, as of other file systems that cannot say.
  static int fill(struct statfs* into) {
    *into = {};
    into->f_type = 0x48524657;  // of no file system that the kernel has
    into->f_bsize = into->f_frsize = 4096;
    into->f_namelen = NAME_MAX;
    return 0;
  }
  static int fill(struct statvfs* into) {
    memset(into, 0, sizeof *into);
    into->f_bsize = into->f_frsize = 4096;
    into->f_namemax = NAME_MAX;
    return 0;
  }
  static bool makes_file(int directory, const char* path, mode_t mode, int* result) {
    if (!forwards() || (!S_ISREG(mode) && (mode & S_IFMT) != 0)) return false;
    const int fd =
        forwarding->open(directory, path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode & 07777, result) ? *result : -2;
    if (fd < 0) return fd == -1;
    *result = 0;
    forwarding->close(fd);
    return true;
  }
};

}  // namespace headrace::preload
