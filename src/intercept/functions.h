// The intercepted functions as numbers: the row of functions.def, from 0. Profiles and the log use them.
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
constexpr bool is_stdio(Fn function) { return modules::kOf[static_cast<uint32_t>(function)] == modules::stdio; }

/// Name of function `number`, or nullptr beyond the last.
const char* function_name(uint32_t number);

}  // namespace headrace::intercept
