// How densely tests walk through all places where something could be damaged. For tests alone.
#pragma once

#include <stddef.h>

#include "base/sanitizers.h"

namespace headrace::base {

/// Sanitizers make a step some twenty times as dear. Under them a long walk looks at every fifth place; the same test
/// in the release build looks at all. Five, so that all bits of a byte and all bytes of a word have their turn.
#ifdef HEADRACE_SANITIZED
inline constexpr size_t kStride = 5;
#else
inline constexpr size_t kStride = 1;
#endif

}  // namespace headrace::base
