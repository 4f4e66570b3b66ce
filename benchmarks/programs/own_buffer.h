// The reference beside which streams are measured: a buffer of the program's own, flushed by a direct system call.
#pragma once

#include "direct.h"
#include "measure.h"

struct Buffer {
  int fd;
  size_t used;
  char bytes[4096];
};

// `size` divides the buffer's.
static __attribute__((noinline)) void put(struct Buffer* buffer, const char* bytes, size_t size) {
  if (buffer->used == sizeof buffer->bytes) {
    if (direct_call(SYS_write, buffer->fd, (long)buffer->bytes, (long)buffer->used, 0) != (long)buffer->used) {
      fail("direct write");
    }
    buffer->used = 0;
  }
  memcpy(buffer->bytes + buffer->used, bytes, size);
  buffer->used += size;
}
