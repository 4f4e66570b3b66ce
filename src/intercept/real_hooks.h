// The bottom of a chain of hooks: every function as it is.
//
// A layer is a struct template over the next layer that redefines the functions it cares about; name hiding leaves the
// others as they are. Programs compose layers at compile time, so a call through the chain is a direct call.
#pragma once
#include "intercept/real.h"

namespace headrace::intercept {

struct RealHooks {
#define FUNCTION(id, ret, params, args, module, doc)            \
  template <typename... A>                                      \
  static inline __attribute__((always_inline)) ret id(A... a) { \
    return real::id(a...);                                      \
  }
#define SPECIAL(id, ret, params, args, module, doc) FUNCTION(id, ret, params, args, module, doc)
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
};

}  // namespace headrace::intercept
