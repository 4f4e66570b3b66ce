// Names of the functions that spools count by number.
#pragma once
#include <cstdint>

namespace headrace::capture {

struct FunctionName {
  const char* name = nullptr;  // null: a number that this version does not know
  const char* layer = nullptr;
};

/// `function`: as in Profile and FunctionSum.
FunctionName function_name_of(uint16_t function);

}  // namespace headrace::capture
