// The calls that read and write files. What the C library's streams do inside of it is not reached.
#include <dlfcn.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <atomic>

#include "programs/emulate/delay.h"
#include "programs/emulate/files.h"

namespace {

template <typename F>
F* next(std::atomic<F*>& found, const char* name) {
  F* function = found.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
    found.store(function, std::memory_order_relaxed);
  }
  return function;
}

void wait_for(int fd) {
  if (headrace::emulate::delay_ns() > 0 && headrace::emulate::is_slow(fd)) headrace::emulate::wait_before_transfer();
}

}  // namespace

#define SLOW(name, params, args)                                          \
  extern "C" __attribute__((visibility("default"))) ssize_t name params { \
    static std::atomic<ssize_t(*) params> found;                          \
    wait_for(fd);                                                         \
    return next(found, #name) args;                                       \
  }

SLOW(read, (int fd, void* bytes, size_t count), (fd, bytes, count))
SLOW(write, (int fd, const void* bytes, size_t count), (fd, bytes, count))
SLOW(pread, (int fd, void* bytes, size_t count, off_t offset), (fd, bytes, count, offset))
SLOW(pwrite, (int fd, const void* bytes, size_t count, off_t offset), (fd, bytes, count, offset))
SLOW(pread64, (int fd, void* bytes, size_t count, off64_t offset), (fd, bytes, count, offset))
SLOW(pwrite64, (int fd, const void* bytes, size_t count, off64_t offset), (fd, bytes, count, offset))
SLOW(readv, (int fd, const iovec* parts, int count), (fd, parts, count))
SLOW(writev, (int fd, const iovec* parts, int count), (fd, parts, count))
SLOW(preadv, (int fd, const iovec* parts, int count, off_t offset), (fd, parts, count, offset))
SLOW(pwritev, (int fd, const iovec* parts, int count, off_t offset), (fd, parts, count, offset))
SLOW(preadv64, (int fd, const iovec* parts, int count, off64_t offset), (fd, parts, count, offset))
SLOW(pwritev64, (int fd, const iovec* parts, int count, off64_t offset), (fd, parts, count, offset))
