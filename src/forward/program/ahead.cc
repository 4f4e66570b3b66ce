#include "forward/program/ahead.h"

#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "forward/program/operations.h"

namespace headrace::forward::program {
namespace {

constexpr size_t kFirstAhead = 64 << 10, kMostAhead = 256 << 10;
constexpr size_t kUsualRead =
    BUFSIZ;  // what the C library asks for to fill a buffer; larger reads are the program's own

}  // namespace

/// How many bytes are here now, from `at` on: 0 where this is no read in a row, or more than it asked for failed.
size_t Ahead::fetch(int fd, uint64_t at, size_t size) {
  forget();
  window_ = at == next_ && size <= kUsualRead ? std::clamp(window_ * 2, kFirstAhead, kMostAhead) : 0;
  if (window_ == 0) return 0;
  if (bytes_ == nullptr) bytes_ = std::make_unique_for_overwrite<char[]>(kMostAhead);
  const iovec part{bytes_.get(), window_};
  const ssize_t got = preadv_file(fd, &part, 1, static_cast<off_t>(at));
  if (got <= 0) return 0;
  begin_ = at;
  end_ = at + static_cast<uint64_t>(got);
  return static_cast<size_t>(got);
}

ssize_t Ahead::read(int fd, Description& file, char* into, size_t size) {
  if (owner_ != file.owner()) {  // the number is another file's by now
    forget();
    next_ = UINT64_MAX;
    owner_ = file.owner();
  }
  const Description::PositionLock lock(file);
  const uint64_t at = file.position();
  const bool here = at >= begin_ && at < end_;
  ssize_t got;
  if (here || fetch(fd, at, size) > 0) {
    got = static_cast<ssize_t>(std::min<uint64_t>(size, end_ - at));
    memcpy(into, bytes_.get() + (at - begin_), static_cast<size_t>(got));
  } else {
    const iovec part{into, size};
    got = preadv_file(fd, &part, 1, static_cast<off_t>(at));
  }
  if (got <= 0) return got;
  file.position() = next_ = at + static_cast<uint64_t>(got);
  return got;
}

}  // namespace headrace::forward::program
