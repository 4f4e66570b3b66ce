// What compilers call at the begin and end of every function with -finstrument-functions. The C library has both, and
// they do nothing there; other tools' libraries may have them too, and are called as without this one.
#include <dlfcn.h>

#include "capture/recorder/regions.h"

namespace {

using Hook = void (*)(void* function, void* caller);

/// The next one of this name in the order of loading, but the C library's; looked up at start: no lock is taken later.
Hook next_hook(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  Dl_info of_found, of_libc;
  const bool of_c_library = found && dladdr(found, &of_found) && dladdr(reinterpret_cast<void*>(&dlsym), &of_libc) &&
                            of_found.dli_fbase == of_libc.dli_fbase;
  return of_c_library ? nullptr : reinterpret_cast<Hook>(found);
}

Hook next_enter, next_exit;

__attribute__((constructor)) void find_hooks() {
  next_enter = next_hook("__cyg_profile_func_enter");
  next_exit = next_hook("__cyg_profile_func_exit");
}

}  // namespace

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
