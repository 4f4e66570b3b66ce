// What compilers call at the begin and end of every function with -finstrument-functions. The C library has both, and
// they do nothing there.
#include "capture/recorder/regions.h"

extern "C" {

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void* function, void* caller);
__attribute__((visibility("default"))) void __cyg_profile_func_exit(void* function, void* caller);

void __cyg_profile_func_enter(void* function, void*) {
  if (headrace::capture::state.tracing) headrace::capture::enter_function(reinterpret_cast<uintptr_t>(function));
}

void __cyg_profile_func_exit(void* function, void*) {
  if (headrace::capture::state.tracing) headrace::capture::leave_function(reinterpret_cast<uintptr_t>(function));
}

}  // extern "C"
