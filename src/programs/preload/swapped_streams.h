// Streams of standard descriptors that were redirected to forwarded files, in place of those that a program has.
#pragma once
#include "programs/preload/forwarding.h"

namespace headrace::preload {

/// Every call on a stream with the one that is in its place now.
template <class Next>
struct SwappedStreams : Next {
#define FUNCTION(id, ret, params, args, module, doc)            \
  template <typename... A>                                      \
  static inline __attribute__((always_inline)) ret id(A... a) { \
    return Next::id(actual(a)...);                              \
  }
#define SPECIAL(id, ret, params, args, module, doc) FUNCTION(id, ret, params, args, module, doc)
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS

 private:
  template <typename T>
  static HEADRACE_INLINE T actual(T value) {
    return value;
  }
  static HEADRACE_INLINE FILE* actual(FILE* stream) { return forwards() ? current_stream(stream) : stream; }
};

}  // namespace headrace::preload
