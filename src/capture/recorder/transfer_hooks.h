// Hooks of the calls that move bytes.
#pragma once

#include "capture/recorder/calls.h"
#include "capture/recorder/flags.h"
#include "capture/recorder/posix_aio.h"
#include "intercept/functions_headers.h"

namespace headrace::capture {

/// Counts a finished request of aio or lio_listio, when its result is fetched: nothing else tells that it is over.
void fetched(Fn function, const struct aiocb* request, ssize_t result, Timed time);

template <class Next>
struct TransferHooks : Next {
  static HEADRACE_INLINE ssize_t read(int fd, void* buffer, size_t size) {
    return transfer<kRead, At::kPosition>(Fn::read, fd, 0, buffer, [&] { return Next::read(fd, buffer, size); }, size);
  }
  static HEADRACE_INLINE ssize_t __read_chk(int fd, void* buffer, size_t size, size_t capacity) {
    return transfer<kRead, At::kPosition>(
        Fn::__read_chk, fd, 0, buffer, [&] { return Next::__read_chk(fd, buffer, size, capacity); }, size);
  }
  static HEADRACE_INLINE ssize_t write(int fd, const void* buffer, size_t size) {
    return transfer<kWrite, At::kPosition>(
        Fn::write, fd, 0, buffer, [&] { return Next::write(fd, buffer, size); }, size);
  }
  static HEADRACE_INLINE ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
    return transfer<kRead, At::kOffset>(
        Fn::pread, fd, offset, buffer, [&] { return Next::pread(fd, buffer, size, offset); }, size);
  }
  static HEADRACE_INLINE ssize_t __pread_chk(int fd, void* buffer, size_t size, off_t offset, size_t capacity) {
    return transfer<kRead, At::kOffset>(
        Fn::__pread_chk, fd, offset, buffer, [&] { return Next::__pread_chk(fd, buffer, size, offset, capacity); },
        size);
  }
  static HEADRACE_INLINE ssize_t pwrite(int fd, const void* buffer, size_t size, off_t offset) {
    return transfer<kWrite, At::kOffset>(
        Fn::pwrite, fd, offset, buffer, [&] { return Next::pwrite(fd, buffer, size, offset); }, size);
  }
  static ssize_t readv(int fd, const struct iovec* vector, int count) {
    return transfer<kRead, At::kPosition>(Fn::readv, fd, 0, FirstOf{vector},
                                          [&] { return Next::readv(fd, vector, count); });
  }
  static ssize_t writev(int fd, const struct iovec* vector, int count) {
    return transfer<kWrite, At::kPosition>(Fn::writev, fd, 0, FirstOf{vector},
                                           [&] { return Next::writev(fd, vector, count); });
  }
  static ssize_t preadv(int fd, const struct iovec* vector, int count, off_t offset) {
    return transfer<kRead, At::kOffset>(Fn::preadv, fd, offset, FirstOf{vector},
                                        [&] { return Next::preadv(fd, vector, count, offset); });
  }
  static ssize_t pwritev(int fd, const struct iovec* vector, int count, off_t offset) {
    return transfer<kWrite, At::kOffset>(Fn::pwritev, fd, offset, FirstOf{vector},
                                         [&] { return Next::pwritev(fd, vector, count, offset); });
  }
  static ssize_t preadv2(int fd, const struct iovec* vector, int count, off_t offset, int flags) {
    auto call = [&] { return Next::preadv2(fd, vector, count, offset, flags); };
    return offset == -1 ? transfer<kRead, At::kPosition>(Fn::preadv2, fd, 0, FirstOf{vector}, call)
                        : transfer<kRead, At::kOffset>(Fn::preadv2, fd, offset, FirstOf{vector}, call);
  }
  static ssize_t pwritev2(int fd, const struct iovec* vector, int count, off_t offset, int flags) {
    auto call = [&] { return Next::pwritev2(fd, vector, count, offset, flags); };
    return offset == -1 ? transfer<kWrite, At::kPosition>(Fn::pwritev2, fd, 0, FirstOf{vector}, call)
                        : transfer<kWrite, At::kOffset>(Fn::pwritev2, fd, offset, FirstOf{vector}, call);
  }

  // Copies inside the kernel count as a read of one file and a write of the other; the time goes to the write.
  static ssize_t copy_file_range(int in, off_t* in_offset, int out, off_t* out_offset, size_t size, unsigned flags) {
    return copied(Fn::copy_file_range, in, in_offset, out, out_offset, size,
                  [&] { return Next::copy_file_range(in, in_offset, out, out_offset, size, flags); });
  }
  static ssize_t sendfile(int out, int in, off_t* offset, size_t size) {
    return copied(Fn::sendfile, in, offset, out, nullptr, size, [&] { return Next::sendfile(out, in, offset, size); });
  }
  static ssize_t splice(int in, off_t* in_offset, int out, off_t* out_offset, size_t size, unsigned flags) {
    return copied(Fn::splice, in, in_offset, out, out_offset, size,
                  [&] { return Next::splice(in, in_offset, out, out_offset, size, flags); });
  }
  static ssize_t tee(int in, int out, size_t size, unsigned flags) {
    return copied(Fn::tee, in, nullptr, out, nullptr, size, [&] { return Next::tee(in, out, size, flags); });
  }
  static ssize_t vmsplice(int fd, const struct iovec* vector, size_t count, unsigned flags) {
    return transfer<kWrite, At::kPosition>(Fn::vmsplice, fd, 0, static_cast<const void*>(nullptr),
                                           [&] { return Next::vmsplice(fd, vector, count, flags); });
  }
  static int vdprintf(int fd, const char* format, va_list values) {
    return printed(Fn::vdprintf, fd, [&] { return Next::vdprintf(fd, format, values); });
  }
  static int dprintf(int fd, const char* format, va_list values) {
    return printed(Fn::dprintf, fd, [&] { return Next::vdprintf(fd, format, values); });
  }
  static int __vdprintf_chk(int fd, int flag, const char* format, va_list values) {
    return printed(Fn::__vdprintf_chk, fd, [&] { return Next::__vdprintf_chk(fd, flag, format, values); });
  }
  static int __dprintf_chk(int fd, int flag, const char* format, va_list values) {
    return printed(Fn::__dprintf_chk, fd, [&] { return Next::__vdprintf_chk(fd, flag, format, values); });
  }
  static ssize_t getdents64(int fd, void* buffer, size_t size) {
    Timed time;
    ssize_t result = timed(Fn::getdents64, OnDescriptor{fd}, time, [&] { return Next::getdents64(fd, buffer, size); });
    descriptor_call(Fn::getdents64, fd, Metadata::kDirectoryReads, result >= 0, time);
    return result;
  }
  static ssize_t getdirentries(int fd, char* buffer, size_t size, off_t* base) {
    Timed time;
    ssize_t result =
        timed(Fn::getdirentries, OnDescriptor{fd}, time, [&] { return Next::getdirentries(fd, buffer, size, base); });
    descriptor_call(Fn::getdirentries, fd, Metadata::kDirectoryReads, result >= 0, time);
    return result;
  }
  static int aio_error(const struct aiocb* request) {
    Timed time;
    const int error = timed(time, [&] { return Next::aio_error(request); });
    if (error < 0 || error == EINPROGRESS) return error;
    // What the C library's aio_return tells, it tells again.
    const ssize_t result = error == 0 ? Next::aio_return(const_cast<struct aiocb*>(request)) : -error;
    keep_result(Fn::aio_error, request, result, time);
    return error;
  }
  static ssize_t aio_return(struct aiocb* request) {
    Timed time;
    ssize_t result = timed(time, [&] { return Next::aio_return(request); });
    fetched(Fn::aio_return, request, result, time);
    return result;
  }

 private:
  template <typename Call>
  static int printed(Fn function, int fd, Call call) {
    return transfer<kWrite, At::kPosition>(function, fd, 0, static_cast<const void*>(nullptr), call);
  }
  template <typename Call>
  static ssize_t copied(Fn function, int in, off_t* in_offset, int out, off_t* out_offset, size_t size, Call call) {
    Timed time;
    ssize_t result = timed(function, OnDescriptor{out}, time, call);
    if (!time.recorded()) return result;
    if (result >= 0) account_copy<kRead>(function, in, in_offset, result, time.start, time.end, size);
    account_copy<kWrite>(function, out, out_offset, result, time.start, time.end, size);
    return result;
  }
};

}  // namespace headrace::capture
