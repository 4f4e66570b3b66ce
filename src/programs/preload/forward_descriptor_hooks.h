// Forwarded descriptors: what else can be done with them, and how they come and go.
#pragma once
#include <string.h>
#include <sys/socket.h>

#include "programs/preload/forwarding.h"

namespace headrace::preload {

#define BY_NUMBER(fd, call) \
  if (is_forwarded(fd)) return forwarding->call;
template <class Next>
struct ForwardDescriptors : Next {
  // ---- on descriptors
  static off_t lseek(int fd, off_t offset, int whence) {
    BY_NUMBER(fd, lseek(fd, offset, whence))
    return Next::lseek(fd, offset, whence);
  }
  static int fstat(int fd, struct stat* into) {
    BY_NUMBER(fd, fstat(fd, into))
    return Next::fstat(fd, into);
  }
  static int __fxstat(int version, int fd, struct stat* into) {
    BY_NUMBER(fd, fstat(fd, into))
    return Next::__fxstat(version, fd, into);
  }
  static int ftruncate(int fd, off_t size) {
    BY_NUMBER(fd, ftruncate(fd, size))
    return Next::ftruncate(fd, size);
  }
  static int fallocate(int fd, int mode, off_t offset, off_t size) {
    BY_NUMBER(fd, allocate(fd, mode, offset, size))
    return Next::fallocate(fd, mode, offset, size);
  }
  static int posix_fallocate(int fd, off_t offset, off_t size) {
    if (is_forwarded(fd)) return forwarding->allocate(fd, 0, offset, size) == 0 ? 0 : errno;
    return Next::posix_fallocate(fd, offset, size);
  }
  static int posix_fadvise(int fd, off_t offset, off_t size, int advice) {
    return is_forwarded(fd) ? 0 : Next::posix_fadvise(fd, offset, size, advice);
  }
  static ssize_t readahead(int fd, off_t offset, size_t size) {
    return is_forwarded(fd) ? 0 : Next::readahead(fd, offset, size);
  }
  static int fsync(int fd) {
    BY_NUMBER(fd, fsync(fd))
    return Next::fsync(fd);
  }
  static int fdatasync(int fd) {
    BY_NUMBER(fd, fsync(fd))
    return Next::fdatasync(fd);
  }
  static int sync_file_range(int fd, off_t offset, off_t size, unsigned flags) {
    BY_NUMBER(fd, fsync(fd))
    return Next::sync_file_range(fd, offset, size, flags);
  }
  static int syncfs(int fd) {
    BY_NUMBER(fd, fsync(fd))
    return Next::syncfs(fd);
  }
  static int fchmod(int fd, mode_t mode) {
    BY_NUMBER(fd, fchmod(fd, mode))
    return Next::fchmod(fd, mode);
  }
  static int fchown(int fd, uid_t user, gid_t group) {
    BY_NUMBER(fd, fchown(fd, user, group))
    return Next::fchown(fd, user, group);
  }
  static int futimes(int fd, const struct timeval* times) {
    if (is_forwarded(fd)) return forwarding->futimens(fd, Times(times).get());
    return Next::futimes(fd, times);
  }
  static int futimens(int fd, const struct timespec* times) {
    BY_NUMBER(fd, futimens(fd, times))
    return Next::futimens(fd, times);
  }
  static int ioctl(int fd, unsigned long request, void* argument) {
    if (is_forwarded(fd)) return errno = ENOTTY, -1;
    return Next::ioctl(fd, request, argument);
  }

  // ---- locks
  static int flock(int fd, int operation) {
    if (is_forwarded(fd)) return forwarding->flock(fd, operation);
    return Next::flock(fd, operation);
  }
  static int lockf(int fd, int command, off_t size) {
    if (is_forwarded(fd)) return forwarding->lockf(fd, command, size);
    return Next::lockf(fd, command, size);
  }

  // ---- descriptors come and go
  static int close(int fd) {
    if (!forwards() || capture::in_vfork_child()) return Next::close(fd);
    const int result = forwarding->close(fd);
    changed(fd);
    return result;
  }
  static int dup(int fd) {
    const int copy = Next::dup(fd);
    if (copy < 0 || !is_forwarded_here(fd)) return copy;
    forwarding->duplicated(fd, copy);
    return changed(copy);
  }
  static int dup2(int fd, int target) {
    if (!forwards() || capture::in_vfork_child()) return Next::dup2(fd, target);
    return changed(forwarding->dup2(fd, target, -1));
  }
  static int dup3(int fd, int target, int flags) {
    if (!forwards() || capture::in_vfork_child() || flags < 0) return Next::dup3(fd, target, flags);
    return changed(forwarding->dup2(fd, target, flags));
  }
  static int fcntl(int fd, int command, void* argument) {
    if (!is_forwarded_here(fd)) return Next::fcntl(fd, command, argument);
    int result;
    if (forwarding->lock(fd, command, static_cast<struct flock*>(argument), &result)) return result;
    result = forwarding->fcntl(fd, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? changed(result) : result;
  }
  static int close_range(unsigned first, unsigned last, int flags) {
    if (forwards() && !capture::in_vfork_child()) return forwarding->close_range(first, last, flags);
    return Next::close_range(first, last, flags);
  }
  static void closefrom(int first) {
    if (forwards() && !capture::in_vfork_child())
      forwarding->close_range(first > 0 ? static_cast<unsigned>(first) : 0, ~0u, 0);
    else
      Next::closefrom(first);
  }
  static ssize_t recvmsg(int fd, struct msghdr* message, int flags) {
    const ssize_t got = Next::recvmsg(fd, message, flags);
    if (forwards() && got >= 0 && message->msg_controllen > 0) take_descriptors(message);
    return got;
  }
  static int recvmmsg(int fd, struct mmsghdr* messages, unsigned count, int flags, struct timespec* timeout) {
    const int got = Next::recvmmsg(fd, messages, count, flags, timeout);
    for (int i = 0; forwards() && i < got; ++i)
      if (messages[i].msg_hdr.msg_controllen > 0) take_descriptors(&messages[i].msg_hdr);
    return got;
  }
  static int pidfd_getfd(int process, int fd, unsigned flags) {
    const int got = Next::pidfd_getfd(process, fd, flags);
    if (forwards() && got >= 0) forwarding->received(got);
    return got;
  }

 private:
  static void take_descriptors(struct msghdr* message) {
    for (cmsghdr* part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
      if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
      const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t i = 0; i < count; ++i) {
        int fd;
        memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
        forwarding->received(fd);
      }
    }
  }
  static bool is_forwarded(int fd) { return preload::is_forwarded(fd); }
};
#undef BY_NUMBER

}  // namespace headrace::preload
