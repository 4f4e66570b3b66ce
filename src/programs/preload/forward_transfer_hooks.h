// Reading and writing of forwarded descriptors.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "programs/preload/forwarding.h"

namespace headrace::preload {

#define BY_NUMBER(fd, call) \
  if (is_forwarded(fd)) return forwarding->call;
template <class Next>
struct ForwardTransfers : Next {
  static HEADRACE_INLINE ssize_t read(int fd, void* buffer, size_t size) {
    if (is_forwarded(fd)) return read_one(fd, buffer, size);
    return Next::read(fd, buffer, size);
  }
  static HEADRACE_INLINE ssize_t __read_chk(int fd, void* buffer, size_t size, size_t capacity) {
    if (is_forwarded(fd)) return read_one(fd, buffer, size);
    return Next::__read_chk(fd, buffer, size, capacity);
  }
  static HEADRACE_INLINE ssize_t write(int fd, const void* buffer, size_t size) {
    if (is_forwarded(fd)) return write_one(fd, buffer, size);
    return Next::write(fd, buffer, size);
  }
  static HEADRACE_INLINE ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
    if (is_forwarded(fd)) return read_one_at(fd, buffer, size, offset);
    return Next::pread(fd, buffer, size, offset);
  }
  static HEADRACE_INLINE ssize_t __pread_chk(int fd, void* buffer, size_t size, off_t offset, size_t capacity) {
    if (is_forwarded(fd)) return read_one_at(fd, buffer, size, offset);
    return Next::__pread_chk(fd, buffer, size, offset, capacity);
  }
  static HEADRACE_INLINE ssize_t pwrite(int fd, const void* buffer, size_t size, off_t offset) {
    if (is_forwarded(fd)) return write_one_at(fd, buffer, size, offset);
    return Next::pwrite(fd, buffer, size, offset);
  }
  static ssize_t readv(int fd, const struct iovec* vector, int count) {
    BY_NUMBER(fd, readv(fd, vector, count))
    return Next::readv(fd, vector, count);
  }
  static ssize_t writev(int fd, const struct iovec* vector, int count) {
    BY_NUMBER(fd, writev(fd, vector, count))
    return Next::writev(fd, vector, count);
  }
  static ssize_t preadv(int fd, const struct iovec* vector, int count, off_t offset) {
    BY_NUMBER(fd, preadv(fd, vector, count, offset))
    return Next::preadv(fd, vector, count, offset);
  }
  static ssize_t pwritev(int fd, const struct iovec* vector, int count, off_t offset) {
    BY_NUMBER(fd, pwritev(fd, vector, count, offset))
    return Next::pwritev(fd, vector, count, offset);
  }
  static ssize_t preadv2(int fd, const struct iovec* vector, int count, off_t offset, int flags) {
    if (offset == -1) BY_NUMBER(fd, readv(fd, vector, count))
    BY_NUMBER(fd, preadv(fd, vector, count, offset))
    return Next::preadv2(fd, vector, count, offset, flags);
  }
  static ssize_t pwritev2(int fd, const struct iovec* vector, int count, off_t offset, int flags) {
    if (offset == -1) BY_NUMBER(fd, writev(fd, vector, count))
    BY_NUMBER(fd, pwritev(fd, vector, count, offset))
    return Next::pwritev2(fd, vector, count, offset, flags);
  }
  static ssize_t copy_file_range(int in, off_t* in_offset, int out, off_t* out_offset, size_t size, unsigned flags) {
    if (is_forwarded(in) || is_forwarded(out)) return forwarding->copy(in, in_offset, out, out_offset, size);
    return Next::copy_file_range(in, in_offset, out, out_offset, size, flags);
  }
  static ssize_t sendfile(int out, int in, off_t* offset, size_t size) {
    if (is_forwarded(in) || is_forwarded(out)) return forwarding->copy(in, offset, out, nullptr, size);
    return Next::sendfile(out, in, offset, size);
  }
  static void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
    if (!(flags & MAP_ANONYMOUS)) BY_NUMBER(fd, mmap(address, size, protection, flags, fd, offset))
    return Next::mmap(address, size, protection, flags, fd, offset);
  }
  static ssize_t splice(int in, off_t* in_offset, int out, off_t* out_offset, size_t size, unsigned flags) {
    if (is_forwarded(in) || is_forwarded(out)) return forwarding->copy(in, in_offset, out, out_offset, size);
    return Next::splice(in, in_offset, out, out_offset, size, flags);
  }
  static int vdprintf(int fd, const char* format, va_list values) {
    return is_forwarded(fd) ? print(fd, format, values) : Next::vdprintf(fd, format, values);
  }
  static int __vdprintf_chk(int fd, int flag, const char* format, va_list values) {
    return is_forwarded(fd) ? print(fd, format, values) : Next::__vdprintf_chk(fd, flag, format, values);
  }

 private:
  static int print(int fd, const char* format, va_list values) {
    char* text = nullptr;
    const int size = vasprintf(&text, format, values);
    if (size < 0) return size;
    const ssize_t put = write_one(fd, text, static_cast<size_t>(size));
    free(text);
    return static_cast<int>(put);
  }
  static bool is_forwarded(int fd) { return preload::is_forwarded(fd); }
  static __attribute__((noinline)) ssize_t read_one(int fd, void* buffer, size_t size) {
    const iovec part{buffer, size};
    return forwarding->readv(fd, &part, 1);
  }
  static __attribute__((noinline)) ssize_t read_one_at(int fd, void* buffer, size_t size, off_t offset) {
    const iovec part{buffer, size};
    return forwarding->preadv(fd, &part, 1, offset);
  }
  static __attribute__((noinline)) ssize_t write_one(int fd, const void* buffer, size_t size) {
    const iovec part{const_cast<void*>(buffer), size};
    return forwarding->writev(fd, &part, 1);
  }
  static __attribute__((noinline)) ssize_t write_one_at(int fd, const void* buffer, size_t size, off_t offset) {
    const iovec part{const_cast<void*>(buffer), size};
    return forwarding->pwritev(fd, &part, 1, offset);
  }
};
#undef BY_NUMBER

}  // namespace headrace::preload
