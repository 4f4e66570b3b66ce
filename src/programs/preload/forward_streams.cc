// The standard streams of a process, one of whose standard descriptors is a forwarded file: by a shell's redirection,
// or because the program put it there. The variables then name streams that do their I/O through forwarding, which the
// C library allows, and calls with the streams from before are made with these.
#include <stdio.h>

#include "intercept/real.h"
#include "programs/preload/forwarding.h"

namespace headrace::preload {
namespace {

constexpr const char* kModes[] = {"r", "w", "w"};
FILE *original[3], *ours[3];

FILE** variable(int fd) { return fd == 0 ? &stdin : fd == 1 ? &stdout : &stderr; }

/// What the program has written to its own stream and not flushed belongs to the descriptor as it is now.
void hand_over(FILE* from, FILE* to) {
  const auto pending = static_cast<size_t>(from->_IO_write_ptr - from->_IO_write_base);
  if (pending == 0 || from->_IO_write_ptr < from->_IO_write_base) return;
  real::fwrite(from->_IO_write_base, size_t{1}, pending, to);
  from->_IO_write_ptr = from->_IO_write_base;
}

}  // namespace

void remember_standard_streams() {
  for (int fd = 0; fd < 3; ++fd) original[fd] = *variable(fd);
}

void standard_descriptor_changed(int fd) {
  const int saved = errno;
  if (is_forwarded(fd)) {
    const bool is_new = !ours[fd];
    if (is_new) ours[fd] = forwarding->stream(fd, kModes[fd]);
    if (is_new && ours[fd] && fd == 2) real::setvbuf(ours[fd], static_cast<char*>(nullptr), _IONBF, size_t{0});
    if (ours[fd] && *variable(fd) == original[fd]) {
      if (fd != 0) hand_over(original[fd], ours[fd]);
      *variable(fd) = ours[fd];
    }
  } else if (ours[fd] && *variable(fd) == ours[fd]) {
    // Not closed, which would close the descriptor: what it holds goes where the descriptor leads now.
    *variable(fd) = original[fd];
  }
  errno = saved;
}

FILE* current_stream(FILE* stream) {
  for (int fd = 0; fd < 3; ++fd)
    if (stream == original[fd] && ours[fd] && is_forwarded(fd)) return ours[fd];
  return stream;
}

void forget_stream(FILE* stream) {
  for (int fd = 0; fd < 3; ++fd) {
    if (stream != ours[fd] || !stream) continue;
    if (*variable(fd) == stream) *variable(fd) = original[fd];
    ours[fd] = nullptr;
  }
}

}  // namespace headrace::preload
