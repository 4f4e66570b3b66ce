// The exported wrappers of HDF5, one for each row of hdf5.def. What HDF5 calls of itself passes through: its own calls
// go to its exported symbols where it is not linked otherwise.
#include "capture/recorder/hdf5.h"

#define EXPORT __attribute__((visibility("default")))

using namespace headrace::capture;        // NOLINT: the rows' expressions
using namespace headrace::capture::hdf5;  // NOLINT

namespace {

/// Runs `call` and counts it; `after` gives its bytes.
template <typename Call, typename After>
HEADRACE_INLINE auto counted(LibraryFn function, Call call, After after) {
  const uint64_t before = profiled_so_far();
  Timed time;
  const auto result = timed_library(function, time, call);
  const int saved = errno;
  const uint64_t bytes = after(result, time);
  library_call(function, result >= 0, result >= 0 ? bytes : 0, time, before);
  errno = saved;
  return result;
}

}  // namespace

// Without HDF5 a call fails, as one of HDF5 does.
#define WRAPPER(id, returns, params, args, ...)                                          \
  EXPORT returns headrace_H5##id params __asm__("H5" #id);                               \
  returns headrace_H5##id params {                                                       \
    static constinit std::atomic<const Caller*> last{nullptr};                           \
    const void* caller = __builtin_return_address(0);                                    \
    Library* library = library_of(last, caller);                                         \
    auto* function = real<returns params>(library, LibraryFn::H5##id, "H5" #id, caller); \
    if (HEADRACE_UNLIKELY(!function)) return -1;                                         \
    const Library& m = *library;                                                         \
    if (!is_counted(m, caller)) return function args;                                    \
    __VA_ARGS__                                                                          \
  }
#define HDF(id, returns, group, params, args, after, doc)   \
  WRAPPER(                                                  \
      id, returns, params, args,                            \
      return counted(                                       \
          LibraryFn::H5##id, [&] { return function args; }, \
          [&]([[maybe_unused]] returns result, [[maybe_unused]] Timed time) { return static_cast<uint64_t> after; });)
#define CLOSING(id, returns, group, params, args, doc)                                               \
  WRAPPER(id, returns, params, args, LibraryObject* object = closing(m, FIRST args); return counted( \
              LibraryFn::H5##id, [&] { return function args; },                                      \
              [&](returns result, Timed time) {                                                      \
                if (result >= 0) closed(m, object, FIRST args, time);                                \
                return uint64_t{0};                                                                  \
              });)
#define FIRST(id) id

extern "C" {
#include "intercept/hdf5.def"
}
