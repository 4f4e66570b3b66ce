#include "intercept/real.h"

#include <dlfcn.h>

namespace headrace::intercept {

void* next_symbol(const char* name) { return dlsym(RTLD_NEXT, name); }

}  // namespace headrace::intercept

namespace headrace::real {

void resolve_all() {
#define FUNCTION(id, ret, params, args, module, doc) id.get();
#define SPECIAL(id, ret, params, args, module, doc) id.get();
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
}

}  // namespace headrace::real
