// The exported wrappers of PnetCDF. Its Fortran functions call those of C, and some of C call each other: the outermost
// is the one that is counted.
#include "capture/recorder/pnetcdf.h"

#include "intercept/caller.h"

#define EXPORT __attribute__((visibility("default")))

using namespace headrace::capture;           // NOLINT: the rows' expressions
using namespace headrace::capture::pnetcdf;  // NOLINT

namespace {

constexpr int kNoPnetcdf = -33;  // NC_EBADID

/// The real function, looked up at its first call as the caller sees it.
template <typename F>
HEADRACE_INLINE F* real_pnetcdf(std::atomic<F*>& known, const char* name, const void* caller) {
  F* function = known.load(std::memory_order_relaxed);
  if (HEADRACE_LIKELY(function != nullptr)) return function;
  function = reinterpret_cast<F*>(headrace::intercept::beyond(name, caller));
  known.store(function, std::memory_order_relaxed);
  return function;
}

/// The file that a call is on, by its arguments: all but those that open one have it first.
template <typename... Rest>
uint32_t on_first(int file, Rest...) {
  return event_file(file);
}
template <typename... Rest>
uint32_t on_first(uintptr_t, Rest...) {
  return 0;
}

/// Adds that to what is known of a call.
template <typename... Arguments>
HEADRACE_INLINE Done known_of(Done done, Arguments... arguments) {
  if (HEADRACE_UNLIKELY(state.tracing) && done.handle == 0) done.handle = on_first(arguments...);
  return done;
}

/// What a call that waits for requests, or drops them, was asked for: its arguments alone are of these types.
Waits before_call(int file, int count, int* requests, int*) { return asked_for(file, count, requests); }
struct NoWaits {};
template <typename... Arguments>
NoWaits before_call(Arguments...) {
  return {};
}

/// A function object that one function for all wrappers can call: made out anew for each, they take long to compile.
template <typename Result, typename... Arguments>
struct Reference {
  template <typename F>
  explicit Reference(F& object)
      : of(&object),
        run([](void* of, Arguments... arguments) -> Result { return (*static_cast<F*>(of))(arguments...); }) {}
  Result operator()(Arguments... arguments) const { return run(of, arguments...); }

  void* of;
  Result (*run)(void*, Arguments...);
};

int run_counted(LibraryFn function, Reference<int> call, Reference<Done, int, Timed> after) {
  Outermost outermost(&frame);
  if (!outermost) return call();
  const uint64_t before = profiled_so_far();
  Timed time;
  const int result = timed_library(function, time, call);
  const int saved = errno;
  const Done done = after(result, time);
  library_call(function, result == 0, result == 0 ? done.bytes : 0, time, before, false, {.handle = done.handle});
  errno = saved;
  return result;
}

/// Runs `call` and counts it; `after` gives what it did.
template <typename Call, typename After>
HEADRACE_INLINE int counted(LibraryFn function, Call call, After after) {
  return run_counted(function, Reference<int>(call), Reference<Done, int, Timed>(after));
}

}  // namespace

#define PLAIN(...) __VA_ARGS__
#define WRAPPER(symbol, fn, params, args, after)                        \
  EXPORT int headrace_##symbol params __asm__(#symbol);                 \
  int headrace_##symbol params {                                        \
    HEADRACE_LARGE static constinit std::atomic<int(*) params> known{}; \
    [[maybe_unused]] const void* caller = __builtin_return_address(0);  \
    auto* function = real_pnetcdf<int params>(known, #symbol, caller);  \
    if (HEADRACE_UNLIKELY(!function)) return kNoPnetcdf;                \
    [[maybe_unused]] const auto before = before_call args;              \
    return counted(                                                     \
        LibraryFn::fn, [&] { return function args; },                   \
        [&]([[maybe_unused]] int result, [[maybe_unused]] Timed time) { \
          return known_of(static_cast<Done>(after), PLAIN args);        \
        });                                                             \
  }

#define PNETCDF(id, params, args, after, doc) WRAPPER(ncmpi_##id, ncmpi_##id, params, args, after)
#define MOVED(direction, how, shape) moved(caller, file, variable, direction, PLAIN shape, how, result, time)
#define STARTED(direction, how, shape) moved(caller, file, variable, direction, PLAIN shape, how, result, time, request)
#define UNTYPED(symbol, fn, direction, how, params, args, shape)                         \
  WRAPPER(symbol, fn, (PLAIN params, const void* buffer, int64_t items, uintptr_t type), \
          (PLAIN args, buffer, items, type), MOVED(direction, how, shape))
#define TYPED(symbol, fn, direction, how, params, args, shape) \
  WRAPPER(symbol, fn, (PLAIN params, const void* buffer), (PLAIN args, buffer), MOVED(direction, how, shape))
#define UNTYPED_LATER(symbol, fn, direction, how, params, args, shape)                                 \
  WRAPPER(symbol, fn, (PLAIN params, const void* buffer, int64_t items, uintptr_t type, int* request), \
          (PLAIN args, buffer, items, type, request), STARTED(direction, how, shape))
#define TYPED_LATER(symbol, fn, direction, how, params, args, shape)                                   \
  WRAPPER(symbol, fn, (PLAIN params, const void* buffer, int* request), (PLAIN args, buffer, request), \
          STARTED(direction, how, shape))
#define EACH(ONE, id, all, ...)                                 \
  ONE(ncmpi_##id##_text##all, ncmpi_##id##all, __VA_ARGS__)     \
  ONE(ncmpi_##id##_schar##all, ncmpi_##id##all, __VA_ARGS__)    \
  ONE(ncmpi_##id##_uchar##all, ncmpi_##id##all, __VA_ARGS__)    \
  ONE(ncmpi_##id##_short##all, ncmpi_##id##all, __VA_ARGS__)    \
  ONE(ncmpi_##id##_ushort##all, ncmpi_##id##all, __VA_ARGS__)   \
  ONE(ncmpi_##id##_int##all, ncmpi_##id##all, __VA_ARGS__)      \
  ONE(ncmpi_##id##_uint##all, ncmpi_##id##all, __VA_ARGS__)     \
  ONE(ncmpi_##id##_long##all, ncmpi_##id##all, __VA_ARGS__)     \
  ONE(ncmpi_##id##_float##all, ncmpi_##id##all, __VA_ARGS__)    \
  ONE(ncmpi_##id##_double##all, ncmpi_##id##all, __VA_ARGS__)   \
  ONE(ncmpi_##id##_longlong##all, ncmpi_##id##all, __VA_ARGS__) \
  ONE(ncmpi_##id##_ulonglong##all, ncmpi_##id##all, __VA_ARGS__)
#define BLOCKING(id, direction, params, args, shape, doc)                                \
  UNTYPED(ncmpi_##id, ncmpi_##id, direction, 0, params, args, shape)                     \
  UNTYPED(ncmpi_##id##_all, ncmpi_##id##_all, direction, kTogether, params, args, shape) \
  EACH(TYPED, id, , direction, 0, params, args, shape)                                   \
  EACH(TYPED, id, _all, direction, kTogether, params, args, shape)
#define LATER(id, direction, params, args, shape, doc)                          \
  UNTYPED_LATER(ncmpi_##id, ncmpi_##id, direction, kLater, params, args, shape) \
  EACH(TYPED_LATER, id, , direction, kLater, params, args, shape)
#define DESCRIBED (int file, int variable, uintptr_t described)
#define BY_TYPE(id, direction, doc)                                                                           \
  UNTYPED(ncmpi_##id, ncmpi_##id, direction, 0, DESCRIBED, (file, variable, described), (by_type(described))) \
  UNTYPED(ncmpi_##id##_all, ncmpi_##id##_all, direction, kTogether, DESCRIBED, (file, variable, described),   \
          (by_type(described)))
#define CLOSING(id, doc)                                                  \
  EXPORT int headrace_ncmpi_##id(int file) __asm__("ncmpi_" #id);         \
  int headrace_ncmpi_##id(int file) {                                     \
    HEADRACE_LARGE static constinit std::atomic<int (*)(int)> known{};    \
    const void* caller = __builtin_return_address(0);                     \
    auto* function = real_pnetcdf<int(int)>(known, "ncmpi_" #id, caller); \
    if (HEADRACE_UNLIKELY(!function)) return kNoPnetcdf;                  \
    LibraryObject* object = frame == 0 ? closing(caller, file) : nullptr; \
    return counted(                                                       \
        LibraryFn::ncmpi_##id, [&] { return function(file); },            \
        [&](int, Timed time) {                                            \
          const Done done{0, event_handle(object)};                       \
          library_closed(object, time);                                   \
          return done;                                                    \
        });                                                               \
  }

extern "C" {
#include "intercept/pnetcdf.def"
}
