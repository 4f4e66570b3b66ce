// How a function of MPI is wrapped: its symbol, its real function, and what is done in between.
#pragma once
#include <limits.h>
#include <string.h>

#include <type_traits>

#include "capture/recorder/mpi.h"
#include "intercept/caller.h"

#define EXPORT __attribute__((visibility("default")))

using namespace headrace::capture;       // NOLINT: the rows' expressions
using namespace headrace::capture::mpi;  // NOLINT

namespace {

constexpr int kNoMpi = 16;  // MPI_ERR_OTHER of most; a call of MPI where there is none

template <typename F>
struct Known {
  std::atomic<F*> function{nullptr};
  bool narrow = false;  // it takes an int where we take a large count
};

/// The real function, looked up at its first call as the caller sees it. Programs ask through weak symbols whether
/// there are functions of large counts, and in a captured process there seem to be
/// (docs/decisions/0003-one-code-for-every-mpi.md): where the library has none, the function of the same name with an
/// int does it, which takes its arguments alike.
template <typename F>
HEADRACE_INLINE F* real(Known<F>& known, const char* name, const void* caller) {
  F* function = known.function.load(std::memory_order_acquire);
  if (HEADRACE_LIKELY(function != nullptr)) return function;
  const Library& m = library(caller);
  const auto look_up = [&](const char* symbol) {
    void* found = headrace::intercept::beyond(symbol, caller);
    // A call in the place of a return (mpi4py's at exit) seems to come from elsewhere; there is one MPI in a process.
    return reinterpret_cast<F*>(found || !m.code ? found : headrace::intercept::beyond(symbol, m.code));
  };
  function = look_up(name);
  const size_t length = strlen(name);
  char narrow[64];
  if (!function && length < sizeof narrow && strcmp(name + length - 2, "_c") == 0) {
    memcpy(narrow, name, length - 2);
    narrow[length - 2] = 0;
    function = look_up(narrow);
    known.narrow = true;
  }
  known.function.store(function, std::memory_order_release);
  return function;
}

/// Whether all large counts among arguments are those of an int; an array of them is none.
template <typename... A>
HEADRACE_INLINE bool fit_an_int(A... arguments) {
  return (... && [](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), int64_t>) return argument <= INT_MAX;
    if constexpr (std::is_same_v<decltype(argument), const int64_t*>) return false;
    return true;
  }(arguments));
}

template <typename F, typename... A>
HEADRACE_INLINE int run(F* function, A... arguments) {
  return HEADRACE_LIKELY(function != nullptr) ? function(arguments...) : kNoMpi;
}

}  // namespace

// A symbol, its real function, and what it does in between. `body` sees `function` and `caller`.
#define WRAPPER(symbol, params, ...)                       \
  EXPORT int headrace_##symbol params __asm__(#symbol);    \
  int headrace_##symbol params {                           \
    using Function = int params;                           \
    HEADRACE_LARGE static constinit Known<Function> known; \
    const void* caller = __builtin_return_address(0);      \
    Function* function = real(known, #symbol, caller);     \
    __VA_ARGS__                                            \
  }
#define TWICE(id, params, ...)           \
  WRAPPER(MPI_##id, params, __VA_ARGS__) \
  WRAPPER(PMPI_##id, params, __VA_ARGS__)
