// Streams on forwarded descriptors. The C library's own streams do their I/O inside it, where no wrapper sees it; these
// do it in functions that are given to it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "forward/program/inside.h"
#include "forward/program/operations.h"
#include "forward/program/stream_cookies.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

// The descriptor may be another thing by now, such as standard output that is redirected back, on which calls wait as
// long as they like: signals are let through then.
ssize_t read_stream(void* cookie, char* into, size_t size) {
  const Errno before;
  auto* const of = static_cast<Cookie*>(cookie);
  const int fd = of->fd;
  {
    const Inside inside;
    const Held held(fd);
    // What was read ahead must not hide what the program itself writes by the same descriptor.
    if (held && held->may_read() && !held->may_write())
      return before.keep_unless_failed(of->ahead.read(fd, *held, into, size));
    const iovec part{into, size};
    if (held) return before.keep_unless_failed(readv_file(fd, &part, 1));
  }
  return read(fd, into, size);
}

/// False when it is none of ours, and nothing was done.
bool write_forwarded(int fd, const iovec& part, ssize_t* put) {
  const Inside inside;
  const Held held(fd);
  if (held) *put = writev_file(fd, &part, 1);
  return static_cast<bool>(held);
}

/// 0 is what tells the C library of a failure.
ssize_t write_stream(void* cookie, const char* from, size_t size) {
  const int fd = static_cast<Cookie*>(cookie)->fd;
  const Errno before;
  size_t done = 0;
  while (done < size) {
    const iovec part{const_cast<char*>(from) + done, size - done};
    ssize_t put;
    if (!write_forwarded(fd, part, &put)) put = write(fd, part.iov_base, part.iov_len);
    if (put <= 0) break;
    done += static_cast<size_t>(put);
  }
  return done == size ? before.keep_unless_failed(static_cast<ssize_t>(done)) : static_cast<ssize_t>(done);
}

int seek_stream(void* cookie, off64_t* offset, int whence) {
  auto* const of = static_cast<Cookie*>(cookie);
  const int fd = of->fd;
  const Errno before;
  const Inside inside;
  of->ahead.forget();
  const off_t at = Held(fd) ? lseek_file(fd, *offset, whence) : lseek(fd, *offset, whence);
  if (at < 0) return -1;
  *offset = at;
  return before.keep_unless_failed(0);
}

int close_stream(void* cookie) {
  const Errno before;
  const Inside inside;
  const int fd = static_cast<Cookie*>(cookie)->fd;
  strike_out(static_cast<Cookie*>(cookie));
  delete static_cast<Cookie*>(cookie);
  return before.keep_unless_failed(close_number(fd));
}

/// So that fileno() knows it: the C library asks whether a stream is one of files, which these are.
void set_number(FILE* stream, int fd) {
  constexpr int kIsOfFile = 0x2000;  // _IO_IS_FILEBUF
  const int before = stream->_fileno;
  stream->_fileno = fd;
  stream->_flags |= kIsOfFile;
  if (fileno_unlocked(stream) == fd) return;
  stream->_fileno = before;
  stream->_flags &= ~kIsOfFile;
}

}  // namespace

FILE* stream_on(int fd, const char* mode) {
  auto* cookie = new Cookie{fd, {}};
  FILE* stream = fopencookie(cookie, mode, {read_stream, write_stream, seek_stream, close_stream});
  if (stream == nullptr) {
    delete cookie;
    return nullptr;
  }
  enlist(cookie, stream);
  set_number(stream, fd);
  if (mode[0] == 'a') {
    const Held held(fd);
    if (held) held->flags() |= O_APPEND;
  }
  return stream;
}

int flags_of_mode(const char* mode) {
  int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT;
  if (*mode != 'r' && *mode != 'w' && *mode != 'a') return fail(EINVAL);
  if (*mode == 'w') flags |= O_TRUNC;
  if (*mode == 'a') flags |= O_APPEND;
  for (const char* letter = mode + 1; *letter != '\0' && *letter != ','; ++letter) {
    if (*letter == '+') flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (*letter == 'x') flags |= O_EXCL;
    if (*letter == 'e') flags |= O_CLOEXEC;
  }
  return flags;
}

bool open_stream(const char* path, const char* mode, FILE** result) {
  const int flags = flags_of_mode(mode);
  *result = nullptr;
  if (!is_forwarded_path(AT_FDCWD, path)) return false;
  int fd = -1;
  if (flags < 0 || !open_path(AT_FDCWD, path, flags, 0666, &fd) || fd < 0) return true;
  *result = stream_on(fd, mode);
  if (*result == nullptr) {
    const int error = errno;
    close_number(fd);
    errno = error;
  }
  return true;
}

}  // namespace headrace::forward::program
