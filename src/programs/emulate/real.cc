#include "programs/emulate/real.h"

#include <dlfcn.h>

namespace headrace::emulate {

#define HEADRACE_EMULATE_REAL(name) Real<decltype(::name)> real_##name{#name};
HEADRACE_EMULATE_USES(HEADRACE_EMULATE_REAL)
#undef HEADRACE_EMULATE_REAL

void* find_next(const char* name) { return dlsym(RTLD_NEXT, name); }

namespace {

/// Before programs have signal handlers and children that share their memory, in which nothing can be looked for.
__attribute__((constructor(101))) void find_all() {
#define HEADRACE_EMULATE_REAL(name) real_##name.find();
  HEADRACE_EMULATE_USES(HEADRACE_EMULATE_REAL)
#undef HEADRACE_EMULATE_REAL
}

}  // namespace
}  // namespace headrace::emulate
