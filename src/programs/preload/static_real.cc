// The real functions of a static program, in the place of intercept/real.cc: the linker knows them all.
#include <static_functions.h>  // made by static.cmake
#include <string.h>

#include "capture/static_note.h"
#include "intercept/real.h"
#include "programs/preload/hooks.h"

extern "C" {
/// Tells the recorder where it is (capture/recorder/settings.cc).
__attribute__((visibility("hidden"))) extern const char headrace_is_static;
const char headrace_is_static = 1;

#define STATIC_FUNCTION(id) void headrace_real_##id() __asm__("__real_" #id);
HEADRACE_STATIC_FUNCTIONS
#undef STATIC_FUNCTION
}

// There is nothing to look up, and the C library's own would bring the whole loader along.
extern "C" {
__attribute__((visibility("hidden"))) void* dlsym(void*, const char*) { return nullptr; }
__attribute__((visibility("hidden"))) int dladdr(const void*, void*) { return 0; }
}

/// By this the launcher tells a static program that captures itself from one that cannot (capture/recorder/target.cc).
HEADRACE_STATIC_NOTE;

namespace headrace::preload {
__thread int inside_stream_calls = 0;
}

namespace headrace::intercept {

void* next_symbol(const char* name) {
#define STATIC_FUNCTION(id) \
  if (strcmp(name, #id) == 0) return reinterpret_cast<void*>(&headrace_real_##id);
  HEADRACE_STATIC_FUNCTIONS
#undef STATIC_FUNCTION
  return nullptr;
}

}  // namespace headrace::intercept

namespace headrace::real {

void prepare() {
#define STATIC_FUNCTION(id) id.get();
  HEADRACE_STATIC_FUNCTIONS
#undef STATIC_FUNCTION
}

}  // namespace headrace::real
