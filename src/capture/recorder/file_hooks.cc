#include "capture/recorder/file_hooks.h"

#include <string.h>

#include "capture/recorder/transfer_hooks.h"

namespace headrace::capture {

int flags_of_mode(const char* mode) {
  int update = strchr(mode, '+') ? O_RDWR : 0;
  switch (*mode) {
    case 'w':
      return (update ? update : O_WRONLY) | O_CREAT | O_TRUNC;
    case 'a':
      return (update ? update : O_WRONLY) | O_CREAT | O_APPEND;
    default:
      return update;
  }
}

int descriptor_of(FILE* stream) {
  int saved = errno;
  int fd = fileno_unlocked(stream);
  errno = saved;
  return fd;
}

int common_descriptor(struct aiocb* const* list, int count) {
  int common = -1;
  for (int i = 0; i < count; ++i) {
    const struct aiocb* request = list[i];
    if (!request || request->aio_lio_opcode == LIO_NOP) continue;
    if (common >= 0 && request->aio_fildes != common) return -1;
    common = request->aio_fildes;
  }
  return common;
}

void forget_received(const struct msghdr* message) {
  for (struct cmsghdr* part = CMSG_FIRSTHDR(message); part;
       part = CMSG_NXTHDR(const_cast<struct msghdr*>(message), part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS || part->cmsg_len < CMSG_LEN(0)) continue;
    size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      forget_descriptor(fd);
    }
  }
}

void fetched(Fn function, const struct aiocb* request, ssize_t result, Timed time) {
  if (!time.recorded()) return;
  int operation = request->aio_lio_opcode & 127;  // glibc sets it for aio_read and aio_write, too
  uint64_t tag = tag_of(request->aio_fildes);
  const bool moves = operation == LIO_READ || operation == LIO_WRITE;
  const bool counts = !moves || take_request(request);
  if (!counts) {
    call_about(function, request->aio_fildes, result >= 0, time);
  } else if (!is_tracked(tag) || result < 0 || !moves) {
    plain_call(function, result >= 0, time);
  } else {
    bool first = !(file_of(tag)->flags & flag::asynchronous);
    file_of(tag)->flags |= flag::asynchronous;
    if (first && self)
      self->cache[0][static_cast<uint32_t>(request->aio_fildes) % kCachedFiles].tag =
          kUnknownTag;  // so that the flag is seen
    Operation op{request->aio_fildes,
                 tag,
                 static_cast<uint64_t>(request->aio_offset),
                 const_cast<const void*>(request->aio_buf),
                 result,
                 time.start,
                 time.end,
                 kAsMoved};
    if (operation == LIO_READ)
      account<kRead, At::kOffset, Count::kCall>(function, op);
    else
      account<kWrite, At::kOffset, Count::kCall>(function, op);
  }
}

}  // namespace headrace::capture
