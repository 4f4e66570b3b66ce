#include "capture/harvest/function_names.h"

#include "capture/spool_layout.h"
#include "intercept/functions.h"
#include "intercept/library_functions.h"

namespace headrace::capture {

FunctionName function_name_of(uint16_t function) {
  if (function & kLibraryFunction) {
    const auto found = intercept::library_function(function & ~kLibraryFunction);
    return found ? FunctionName{found.name, found.layer} : FunctionName{};
  }
  const char* name = function < kMaximumFunctions ? intercept::function_name(function) : nullptr;
  if (name == nullptr) return {};
  return {name, intercept::is_stdio(static_cast<intercept::Fn>(function)) ? "stdio" : "posix"};
}

}  // namespace headrace::capture
