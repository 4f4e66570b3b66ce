// What compilers call at the begin and end of every function with -finstrument-functions. The C library has both, and
// they do nothing there; other tools' libraries may have them too, and are called as without this one.
#include "base/start_code.h"
#include "capture/recorder/regions.h"
#include "intercept/real.h"

namespace {

using Hook = void (*)(void* function, void* caller);

Hook next_enter, next_exit;

}  // namespace

namespace headrace::preload {

HEADRACE_AT_START void find_function_hooks() {
  next_enter = reinterpret_cast<Hook>(intercept::next_before_libc("__cyg_profile_func_enter"));
  next_exit = reinterpret_cast<Hook>(intercept::next_before_libc("__cyg_profile_func_exit"));
}

}  // namespace headrace::preload

extern "C" {

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void* function, void* caller);
__attribute__((visibility("default"))) void __cyg_profile_func_exit(void* function, void* caller);

void __cyg_profile_func_enter(void* function, void* caller) {
  if (headrace::capture::state.tracing) headrace::capture::enter_function(reinterpret_cast<uintptr_t>(function));
  if (next_enter) next_enter(function, caller);
}

void __cyg_profile_func_exit(void* function, void* caller) {
  if (next_exit) next_exit(function, caller);
  if (headrace::capture::state.tracing) headrace::capture::leave_function(reinterpret_cast<uintptr_t>(function));
}

}  // extern "C"
