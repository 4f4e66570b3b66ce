// The bottom of the chain for calls made by number: syscall() itself, since the C library's functions of the same names
// are points at which a thread can be cancelled, and syscall() is none.
#pragma once
#include <sys/syscall.h>

#include "intercept/real_hooks.h"

namespace headrace::preload {

struct NumberedHooks : intercept::RealHooks {
#define CALL(name, returns, arguments)                                     \
  template <typename... A>                                                 \
  static returns name(A... them) {                                         \
    return static_cast<returns>(real::syscall(long{SYS_##name}, them...)); \
  }
#include "programs/preload/system_calls.def"
#undef CALL
  template <typename... A>
  static ssize_t pread(A... arguments) {
    return real::syscall(long{SYS_pread64}, arguments...);
  }
  template <typename... A>
  static ssize_t pwrite(A... arguments) {
    return real::syscall(long{SYS_pwrite64}, arguments...);
  }
  static ssize_t preadv2(int fd, const struct iovec* vector, int count, off_t offset, int flags) {
    return real::syscall(long{SYS_preadv2}, fd, vector, count, offset, 0L, flags);
  }
  static ssize_t pwritev2(int fd, const struct iovec* vector, int count, off_t offset, int flags) {
    return real::syscall(long{SYS_pwritev2}, fd, vector, count, offset, 0L, flags);
  }
  template <typename... A>
  static int fstatat(A... arguments) {
    return static_cast<int>(real::syscall(long{SYS_newfstatat}, arguments...));
  }
};

}  // namespace headrace::preload
