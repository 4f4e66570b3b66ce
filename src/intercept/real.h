// The real functions behind the intercepted ones: the next definition after ours in the program's search order.
//
// Each is looked up at its first call, in the libraries' own memory: dlsym would clear the program's dlerror() state
// and is not async-signal-safe. It is asked before the constructor of this library ran, in those of others.
#pragma once
#include <cerrno>
#include <type_traits>

#include "intercept/functions_headers.h"

namespace headrace::intercept {

void* next_symbol(const char* name);
/// The next definition, but for the C library's; null before prepare().
void* next_before_libc(const char* name);

/// A function with C linkage that is looked up by name. Thread-safe: look-ups are idempotent. The name is part of the
/// type: a pointer to it would be one more word that the loader writes at the start of each process.
template <typename F, const char* kName>
class RealCall {
 public:
  /// The function's address, or nullptr when the C library has none.
  F* get() {
    F* function = function_;
    if (__builtin_expect(function == nullptr, 0)) function = function_ = reinterpret_cast<F*>(next_symbol(kName));
    return function;
  }

  /// Calls it; fails with ENOSYS (−1 or a null pointer) where the C library has none.
  template <typename... A>
  auto operator()(A... arguments) {
    using R = std::invoke_result_t<F*, A...>;
    F* function = get();
    if (__builtin_expect(function == nullptr, 0)) {
      errno = ENOSYS;
      if constexpr (std::is_pointer_v<R>)
        return static_cast<R>(nullptr);
      else if constexpr (!std::is_void_v<R>)
        return static_cast<R>(-1);
      else
        return;
    } else {
      return function(arguments...);
    }
  }

 private:
  F* function_ = nullptr;
};

}  // namespace headrace::intercept

namespace headrace::real {

namespace names {
#define FUNCTION(id, ret, params, args, module, doc) inline constexpr char id[] = #id;
#define SPECIAL(id, ret, params, args, module, doc) inline constexpr char id[] = #id;
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
}  // namespace names

#define FUNCTION(id, ret, params, args, module, doc) inline constinit intercept::RealCall<ret params, names::id> id{};
#define SPECIAL(id, ret, params, args, module, doc) inline constinit intercept::RealCall<ret params, names::id> id{};
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS

/// Finds where to look. Called once, before the program's main.
void prepare();

}  // namespace headrace::real
