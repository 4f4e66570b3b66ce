// The bottom of the chain in static programs.
//
// There the C library's own calls between its objects reach the wrappers too. The only ones that matter are those by
// which a call on a stream empties or fills the stream's buffer, which the program itself makes only where the compiler
// inlined putc_unlocked or getc_unlocked: below a call on a stream they pass through.
#pragma once
#include "intercept/functions.h"
#include "intercept/real_hooks.h"

namespace headrace::preload {

/// Calls on streams that this thread is inside of. A handler that leaves one by siglongjmp leaves it too high: inlined
/// single bytes of that thread are then no longer counted.
extern __thread int inside_stream_calls __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct InsideStreamCall {
  explicit InsideStreamCall(bool stream) : count(stream) { inside_stream_calls += count; }
  ~InsideStreamCall() { inside_stream_calls -= count; }
  int count;
};

struct StaticHooks : intercept::RealHooks {
#define FUNCTION(id, ret, params, args, module, doc)            \
  template <typename... A>                                      \
  static inline __attribute__((always_inline)) ret id(A... a) { \
    InsideStreamCall inside(is_stdio(intercept::Fn::id));       \
    return real::id(a...);                                      \
  }
#define SPECIAL(id, ret, params, args, module, doc) FUNCTION(id, ret, params, args, module, doc)
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
};

/// The top of it: what a call on a stream makes of the buffer is part of that call.
template <class Below>
struct OutermostStreamCalls : Below {
  static int __overflow(FILE* stream, int byte) {
    return inside_stream_calls > 0 ? real::__overflow(stream, byte) : Below::__overflow(stream, byte);
  }
  static int __uflow(FILE* stream) { return inside_stream_calls > 0 ? real::__uflow(stream) : Below::__uflow(stream); }
};

}  // namespace headrace::preload
