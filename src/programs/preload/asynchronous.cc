// The functions of libaio and liburing. Both make system calls of their own, or once did.
#include <dlfcn.h>
#include <string.h>

#include "capture/recorder/kernel_aio.h"
#include "intercept/caller.h"

#define EXPORT __attribute__((visibility("default")))

using namespace headrace::capture;  // NOLINT: the rows' expressions

namespace {

/// A function of a library, looked up at its first call as the caller sees it.
template <typename F>
struct Found {
  std::atomic<F*> function{nullptr};
  bool known = false;  // it is that of the library that the list means
};

/// Short names that other libraries may have for something else, or an earlier version whose memory looks differently.
bool is_of(const void* function, const char* library, const char* version) {
  Dl_info info;
  if (dladdr(function, &info) == 0 || !info.dli_fname) return false;
  const char* name = strrchr(info.dli_fname, '/');
  name = name ? name + 1 : info.dli_fname;
  return strncmp(name, library, strlen(library)) == 0 && strstr(name, version) != nullptr;
}

template <typename F>
F* look_up(Found<F>& found, const char* name, const void* caller, const char* library, const char* version) {
  F* function = found.function.load(std::memory_order_acquire);
  if (HEADRACE_LIKELY(function != nullptr)) return function;
  function = reinterpret_cast<F*>(headrace::intercept::beyond(name, caller));
  if (!function) return nullptr;
  found.known = is_of(reinterpret_cast<const void*>(function), library, version);
  found.function.store(function, std::memory_order_release);
  return function;
}

}  // namespace

extern "C" {

#define WRAPPER(id, params, args, library, version, ...)                                 \
  EXPORT int headrace_##id params __asm__(#id);                                          \
  int headrace_##id params {                                                             \
    static constinit Found<int params> found;                                            \
    auto* function = look_up(found, #id, __builtin_return_address(0), library, version); \
    if (HEADRACE_UNLIKELY(!function)) return -ENOSYS;                                    \
    if (HEADRACE_UNLIKELY(!found.known)) return function args;                           \
    const auto call = [&] { return function args; };                                     \
    __VA_ARGS__                                                                          \
  }
#define KERNEL_AIO(id, params, args, how, doc) WRAPPER(id, params, args, "libaio", ".so.1", return how;)
#define RING(id, params, args, ring, how, doc)     \
  WRAPPER(id, params, args, "liburing", ".so.2", { \
    [[maybe_unused]] const int on = ring;          \
    return how;                                    \
  })
#define SPECIAL_RING(id, doc)
#define OPERATION(id, doc)
#include "intercept/asynchronous.def"
#undef KERNEL_AIO
#undef RING
#undef SPECIAL_RING
#undef OPERATION

// As liburing has it: what the kernel tells of the ring is in its parameters.
EXPORT int headrace_io_uring_queue_init(unsigned entries, void* ring, unsigned flags) __asm__("io_uring_queue_init");
int headrace_io_uring_queue_init(unsigned entries, void* ring, unsigned flags) {
  static constinit Found<int(unsigned, void*, unsigned)> found;
  static constinit Found<int(unsigned, void*, void*)> with_parameters;
  const void* caller = __builtin_return_address(0);
  auto* function = look_up(found, "io_uring_queue_init", caller, "liburing", ".so.2");
  auto* other = look_up(with_parameters, "io_uring_queue_init_params", caller, "liburing", ".so.2");
  if (!function) return -ENOSYS;
  if (!found.known || !other || !with_parameters.known) return function(entries, ring, flags);
  uring::Parameters parameters{};
  parameters.flags = flags;
  return init_ring(Fn::io_uring_queue_init, ring, &parameters, [&] { return other(entries, ring, &parameters); });
}

}  // extern "C"
