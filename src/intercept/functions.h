// The intercepted functions as numbers: the rows of functions.def, from 0, and of asynchronous.def. Profiles and the
// log use them.
#pragma once
#include <cstdint>

namespace headrace::intercept {

enum class Fn : uint16_t {
#define FUNCTION(id, ret, params, args, module, doc) id,
#define SPECIAL(id, ret, params, args, module, doc) id,
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
#define KERNEL_AIO(id, params, args, how, doc) id,
#define RING(id, params, args, ring, how, doc) id,
#define SPECIAL_RING(id, doc) id,
#define OPERATION(id, doc) id,
#include "intercept/asynchronous.def"
#undef KERNEL_AIO
#undef RING
#undef SPECIAL_RING
#undef OPERATION
  kCount
};

namespace modules {
enum Module : uint8_t { posix, stdio, descriptor, process };
inline constexpr Module kOf[] = {
#define FUNCTION(id, ret, params, args, module, doc) module,
#define SPECIAL(id, ret, params, args, module, doc) module,
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
};
}  // namespace modules

/// Whether the function belongs to module stdio.
constexpr bool is_stdio(Fn function) {
  const auto number = static_cast<uint32_t>(function);
  return number < sizeof modules::kOf / sizeof *modules::kOf && modules::kOf[number] == modules::stdio;
}

/// Name of function `number`, or nullptr beyond the last.
const char* function_name(uint32_t number);

}  // namespace headrace::intercept
