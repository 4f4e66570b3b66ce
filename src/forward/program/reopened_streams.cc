// freopen() of streams on forwarded descriptors: the stream goes on with another file.
#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>

#include <string>

#include "forward/program/operations.h"
#include "forward/program/stream_cookies.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

/// As one that was just opened.
void set_mode(FILE* stream, int flags) {
  constexpr int kNoReads = 4, kNoWrites = 8, kAtEnd = 0x10, kFailed = 0x20, kPutting = 0x800, kAppending = 0x1000;
  int bits = flags & O_APPEND ? kAppending : 0;
  if ((flags & O_ACCMODE) == O_RDONLY) bits |= kNoWrites;
  if ((flags & O_ACCMODE) == O_WRONLY) bits |= kNoReads;
  stream->_flags = (stream->_flags & ~(kNoReads | kNoWrites | kAtEnd | kFailed | kPutting | kAppending)) | bits;
  stream->_offset = -1;
  char* const empty = stream->_IO_buf_base;
  stream->_IO_read_base = stream->_IO_read_ptr = stream->_IO_read_end = empty;
  stream->_IO_write_base = stream->_IO_write_ptr = stream->_IO_write_end = empty;
}

}  // namespace

bool reopen_stream(const char* path, const char* mode, FILE* stream, FILE** result) {
  Cookie* cookie = cookie_of(stream);
  if (cookie == nullptr) return false;
  fflush(stream);
  const int flags = flags_of_mode(mode), before = cookie->fd;
  std::string own;
  if (path == nullptr) {
    const Held held(before);
    if (held) own = held->path();
  }
  if (!own.empty()) path = own.c_str();
  int fd = -1;
  if (path == nullptr)
    errno = EBADF;
  else if (flags >= 0 && !open_path(AT_FDCWD, path, flags, 0666, &fd))
    fd = open(path, flags, 0666);
  const int error = errno;
  __fpurge(stream);
  cookie->ahead.forget();
  // The stream is closed whether there is another file or not; its memory stays until the program closes it.
  if (fd >= 0 && fd != before && dup2_number(fd, before, flags & O_CLOEXEC) == before) close_number(fd);
  if (fd < 0) close_number(before), cookie->fd = -1;
  set_mode(stream, flags);
  *result = fd >= 0 ? stream : nullptr;
  errno = error;
  return true;
}

}  // namespace headrace::forward::program
