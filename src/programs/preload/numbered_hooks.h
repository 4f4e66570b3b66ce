// The bottom of the chain for calls made by number: syscall() itself, since the C library's functions of the same names
// are points at which a thread can be cancelled, and syscall() is none.
#pragma once
#include <sys/syscall.h>

#include "intercept/real_hooks.h"

namespace headrace::preload {

struct NumberedHooks : intercept::RealHooks {
#define NUMBERED(name, ret)                                                 \
  template <typename... A>                                                  \
  static ret name(A... arguments) {                                         \
    return static_cast<ret>(real::syscall(long{SYS_##name}, arguments...)); \
  }
  NUMBERED(read, ssize_t)
  NUMBERED(write, ssize_t)
  NUMBERED(readv, ssize_t)
  NUMBERED(writev, ssize_t)
  NUMBERED(close, int)
  NUMBERED(lseek, off_t)
  NUMBERED(dup, int)
  NUMBERED(dup3, int)
  NUMBERED(openat, int)
  NUMBERED(fsync, int)
  NUMBERED(fdatasync, int)
  NUMBERED(ftruncate, int)
  NUMBERED(fallocate, int)
  NUMBERED(copy_file_range, ssize_t)
  NUMBERED(sendfile, ssize_t)
  NUMBERED(close_range, int)
  NUMBERED(memfd_create, int)
  NUMBERED(unlinkat, int)
  NUMBERED(renameat2, int)
  NUMBERED(getdents64, ssize_t)
#ifdef SYS_open
  NUMBERED(open, int)
  NUMBERED(creat, int)
  NUMBERED(dup2, int)
  NUMBERED(unlink, int)
  NUMBERED(rename, int)
#endif
#undef NUMBERED
  template <typename... A>
  static ssize_t pread(A... arguments) {
    return real::syscall(long{SYS_pread64}, arguments...);
  }
  template <typename... A>
  static ssize_t pwrite(A... arguments) {
    return real::syscall(long{SYS_pwrite64}, arguments...);
  }
};

}  // namespace headrace::preload
