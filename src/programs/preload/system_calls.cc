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

constexpr uint16_t kFollowed[] = {
#define CALL(name, returns, arguments) SYS_##name,
#include "programs/preload/system_calls.def"
#undef CALL
    SYS_pread64,        SYS_pwrite64,       SYS_preadv2,           SYS_pwritev2,   SYS_newfstatat,   SYS_openat2,
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_io_submit,  SYS_io_getevents, SYS_io_pgetevents,
    SYS_io_destroy,     SYS_execve,         SYS_execveat,          SYS_exit_group,
};

}  // namespace

HEADRACE_AT_START void prepare_system_calls() {
  headrace_real_syscall = reinterpret_cast<void*>(real::syscall.get());
  for (const uint16_t number : kFollowed) headrace_followed_calls[number] = 1;
}

long system_call(long number, long a, long b, long c, long d, long e, long f) {
  auto fd = static_cast<int>(a);
  switch (number) {
#define CALL(name, returns, arguments) \
  case SYS_##name:                     \
    return Numbered::name arguments;
#include "programs/preload/system_calls.def"
#undef CALL
    case SYS_pread64:
      return Numbered::pread(fd, as<void*>(b), as<size_t>(c), d);
    case SYS_pwrite64:
      return Numbered::pwrite(fd, as<const void*>(b), as<size_t>(c), d);
    case SYS_preadv2:
      return Numbered::preadv2(fd, as<const struct iovec*>(b), static_cast<int>(c), d, static_cast<int>(f));
    case SYS_pwritev2:
      return Numbered::pwritev2(fd, as<const struct iovec*>(b), static_cast<int>(c), d, static_cast<int>(f));
    case SYS_newfstatat:
      return Numbered::fstatat(fd, as<const char*>(b), as<struct stat*>(c), static_cast<int>(d));
    case SYS_openat2:
      return open_with_how(a, b, c, d);
    case SYS_execve:
      return Numbered::execve(as<const char*>(a), as<char* const*>(b), as<char* const*>(c));
    case SYS_execveat:
      return Numbered::execveat(fd, as<const char*>(b), as<char* const*>(c), as<char* const*>(d), static_cast<int>(e));
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
  }
  return real::syscall(number, a, b, c, d, e, f);
}

}  // namespace headrace::preload
