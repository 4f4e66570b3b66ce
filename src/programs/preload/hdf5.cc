// The exported wrappers of HDF5, one for each row of hdf5.def. What HDF5 calls of itself passes through: its own calls
// go to its exported symbols where it is not linked otherwise.
#include "capture/recorder/hdf5.h"

#include <concepts>
#include <type_traits>

#define EXPORT __attribute__((visibility("default")))

using namespace headrace::capture;        // NOLINT: the rows' expressions
using namespace headrace::capture::hdf5;  // NOLINT

namespace {

/// What a call was on that does not say it otherwise, by its first argument: a file or dataset that is open, or the
/// path of a file. An asynchronous one has three of the calling code before.
template <typename... Rest>
uint32_t on_first(const Library& m, Id id, Rest...) {
  return is_a(Kind::kFile, id) || is_a(Kind::kDataset, id)
             ? event_handle(library_object(Layer::kHdf5, handle_of(m, id)))
             : 0;
}
template <typename... Rest>
  requires(std::is_integral_v<Rest> && ...)
uint32_t on_first(const Library&, const char* path, Rest...) {
  return path ? event_handle_of(Layer::kHdf5, path) : 0;
}
template <std::same_as<unsigned> Line, typename... Rest>
uint32_t on_first(const Library& m, const char*, const char*, Line, Rest... rest) {
  return on_first(m, rest...);
}
template <typename... Other>
uint32_t on_first(const Library&, Other...) {
  return 0;
}

/// Adds that to what is known of a call.
template <typename... Arguments>
HEADRACE_INLINE Done known_of(Done done, const Library& m, Arguments... arguments) {
  if (HEADRACE_UNLIKELY(state.tracing) && done.handle == 0) done.handle = on_first(m, arguments...);
  return done;
}

/// Runs `call` and counts it; `after` gives what it did.
template <typename Call, typename After>
HEADRACE_INLINE auto counted(LibraryFn function, Call call, After after) {
  const uint64_t before = profiled_so_far();
  Timed time;
  const auto result = timed_library(function, time, call);
  const int saved = errno;
  const Done done = after(result, time);
  if (done.end) time.end = done.end;
  library_call(function, result >= 0, result >= 0 ? done.bytes : 0, time, before, false, {.handle = done.handle});
  errno = saved;
  return result;
}

}  // namespace

// Without HDF5 a call fails, as one of HDF5 does.
#define WRAPPER(id, returns, params, args, ...)                                          \
  EXPORT returns headrace_H5##id params __asm__("H5" #id);                               \
  returns headrace_H5##id params {                                                       \
    HEADRACE_LARGE static constinit std::atomic<const Caller*> last{nullptr};            \
    const void* caller = __builtin_return_address(0);                                    \
    Library* library = library_of(last, caller);                                         \
    auto* function = real<returns params>(library, LibraryFn::H5##id, "H5" #id, caller); \
    if (HEADRACE_UNLIKELY(!function)) return -1;                                         \
    const Library& m = *library;                                                         \
    if (!is_counted(m, caller)) return function args;                                    \
    __VA_ARGS__                                                                          \
  }
#define HDF(id, returns, group, params, args, after, doc)                         \
  WRAPPER(id, returns, params, args,                                              \
          return counted(                                                         \
              LibraryFn::H5##id, [&] { return function args; },                   \
              [&]([[maybe_unused]] returns result, [[maybe_unused]] Timed time) { \
                return known_of(static_cast<Done> after, m, PLAIN args);          \
              });)
#define CLOSING(id, returns, group, params, args, doc)                                               \
  WRAPPER(id, returns, params, args, LibraryObject* object = closing(m, FIRST args); return counted( \
              LibraryFn::H5##id, [&] { return function args; },                                      \
              [&](returns result, Timed time) {                                                      \
                const Done done{0, event_handle(object)};                                            \
                if (result >= 0) closed(m, object, FIRST args, time);                                \
                return done;                                                                         \
              });)
#define FIRST(id) id
#define PLAIN(...) __VA_ARGS__

extern "C" {
#include "intercept/hdf5.def"
}
