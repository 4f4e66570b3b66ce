#include "programs/preload/system_calls.h"

#include <linux/openat2.h>
#include <sys/syscall.h>

#include "base/start_code.h"
#include "capture/recorder/kernel_aio.h"
#include "programs/preload/hooks.h"
#include "programs/preload/numbered_hooks.h"

extern "C" {
// Read by system_calls.S.
__attribute__((visibility("hidden"))) unsigned char headrace_followed_calls[1024];
__attribute__((visibility("hidden"))) void* headrace_real_syscall;
}

namespace headrace::preload {
namespace {

using capture::Fn;
#ifdef HEADRACE_STATIC
using Numbered = Chain<NumberedHooks>;
#else
using Numbered = Chain<Forward<NumberedHooks> >;
#endif

template <typename T>
T as(long value) {
  return (T)value;  // NOLINT: registers hold whatever the call's prototype says
}

long open_with_how(long directory, long path, long how, long size) {
  capture::Timed time;
  const capture::OnPath on{static_cast<int>(directory), as<const char*>(path)};
  long fd = capture::timed(Fn::syscall, on, time,
                           [&] { return real::syscall(long{SYS_openat2}, directory, path, how, size); });
  if (fd < 0) {
    capture::plain_call(Fn::syscall, false, time);  // perhaps because `how` cannot be read
    return fd;
  }
  auto flags = static_cast<int>(as<const struct open_how*>(how)->flags);
  capture::opened(Fn::syscall, static_cast<int>(fd), static_cast<int>(directory), as<const char*>(path), flags, 0,
                  time);
  return fd;
}

long on_ring(long number, long a, long b, long c, long d, long e, long f) {
  using capture::ByErrno;
  const auto call = [&] { return real::syscall(number, a, b, c, d, e, f); };
  const auto ring = static_cast<unsigned>(a);
  if (number == SYS_io_uring_setup) return capture::set_up_ring<ByErrno>(Fn::io_uring_setup, as<const void*>(b), call);
  if (number == SYS_io_uring_enter)
    return capture::use_ring<ByErrno>(Fn::io_uring_enter, capture::entered(ring, static_cast<unsigned>(d)), call);
  return capture::register_anything<ByErrno>(Fn::io_uring_register, capture::entered(ring, 0), static_cast<unsigned>(b),
                                             as<const void*>(c), static_cast<unsigned>(d), call);
}

long on_requests(long number, long a, long b, long c, long d, long e, long f) {
  using capture::ByErrno;
  const auto call = [&] { return real::syscall(number, a, b, c, d, e, f); };
  const auto context = static_cast<uintptr_t>(a);
  if (number == SYS_io_submit)
    return capture::submit_requests<ByErrno>(Fn::io_submit, context, b, as<const void*>(c), call);
  if (number == SYS_io_destroy) return capture::destroy_context<ByErrno>(Fn::io_destroy, context, call);
  const Fn function = number == SYS_io_getevents ? Fn::io_getevents : Fn::io_pgetevents;
  return capture::get_events<ByErrno>(function, context, as<const void*>(d), call);
}

constexpr long kFollowed[] = {
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_dup,
    SYS_dup3,
    SYS_openat,
    SYS_openat2,
    SYS_fsync,
    SYS_fdatasync,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_copy_file_range,
    SYS_sendfile,
    SYS_close_range,
    SYS_memfd_create,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_getdents64,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_io_submit,
    SYS_io_getevents,
    SYS_io_pgetevents,
    SYS_io_destroy,
    SYS_execve,
    SYS_exit_group,
#ifdef SYS_open
    SYS_open,
    SYS_creat,
    SYS_dup2,
    SYS_unlink,
    SYS_rename,
#endif
};

}  // namespace

HEADRACE_AT_START void prepare_system_calls() {
  headrace_real_syscall = reinterpret_cast<void*>(real::syscall.get());
  for (long number : kFollowed) headrace_followed_calls[number] = 1;
}

long system_call(long number, long a, long b, long c, long d, long e, long f) {
  auto fd = static_cast<int>(a);
  switch (number) {
    case SYS_read:
      return Numbered::read(fd, as<void*>(b), as<size_t>(c));
    case SYS_write:
      return Numbered::write(fd, as<const void*>(b), as<size_t>(c));
    case SYS_pread64:
      return Numbered::pread(fd, as<void*>(b), as<size_t>(c), d);
    case SYS_pwrite64:
      return Numbered::pwrite(fd, as<const void*>(b), as<size_t>(c), d);
    case SYS_readv:
      return Numbered::readv(fd, as<const struct iovec*>(b), static_cast<int>(c));
    case SYS_writev:
      return Numbered::writev(fd, as<const struct iovec*>(b), static_cast<int>(c));
    case SYS_close:
      return Numbered::close(fd);
    case SYS_lseek:
      return Numbered::lseek(fd, b, static_cast<int>(c));
    case SYS_dup:
      return Numbered::dup(fd);
    case SYS_dup3:
      return Numbered::dup3(fd, static_cast<int>(b), static_cast<int>(c));
    case SYS_openat:
      return Numbered::openat(fd, as<const char*>(b), static_cast<int>(c), as<mode_t>(d));
    case SYS_openat2:
      return open_with_how(a, b, c, d);
    case SYS_fsync:
      return Numbered::fsync(fd);
    case SYS_fdatasync:
      return Numbered::fdatasync(fd);
    case SYS_ftruncate:
      return Numbered::ftruncate(fd, b);
    case SYS_fallocate:
      return Numbered::fallocate(fd, static_cast<int>(b), c, d);
    case SYS_copy_file_range:
      return Numbered::copy_file_range(fd, as<off_t*>(b), static_cast<int>(c), as<off_t*>(d), as<size_t>(e),
                                       static_cast<unsigned>(f));
    case SYS_sendfile:
      return Numbered::sendfile(fd, static_cast<int>(b), as<off_t*>(c), as<size_t>(d));
    case SYS_close_range:
      return Numbered::close_range(static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<int>(c));
    case SYS_memfd_create:
      return Numbered::memfd_create(as<const char*>(a), static_cast<unsigned>(b));
    case SYS_unlinkat:
      return Numbered::unlinkat(fd, as<const char*>(b), static_cast<int>(c));
    case SYS_renameat2:
      return Numbered::renameat2(fd, as<const char*>(b), static_cast<int>(c), as<const char*>(d),
                                 static_cast<unsigned>(e));
    case SYS_getdents64:
      return Numbered::getdents64(fd, as<void*>(b), as<size_t>(c));
    case SYS_execve:
      return Numbered::execve(as<const char*>(a), as<char* const*>(b), as<char* const*>(c));
    case SYS_exit_group:
      capture::end_image(fd);
      break;
    case SYS_io_uring_setup:
    case SYS_io_uring_enter:
    case SYS_io_uring_register:
      return on_ring(number, a, b, c, d, e, f);
    case SYS_io_submit:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_destroy:
      return on_requests(number, a, b, c, d, e, f);
#ifdef SYS_open
    case SYS_open:
      return Numbered::open(as<const char*>(a), static_cast<int>(b), as<mode_t>(c));
    case SYS_creat:
      return Numbered::creat(as<const char*>(a), as<mode_t>(b));
    case SYS_dup2:
      return Numbered::dup2(fd, static_cast<int>(b));
    case SYS_unlink:
      return Numbered::unlink(as<const char*>(a));
    case SYS_rename:
      return Numbered::rename(as<const char*>(a), as<const char*>(b));
#endif
  }
  return real::syscall(number, a, b, c, d, e, f);
}

}  // namespace headrace::preload
