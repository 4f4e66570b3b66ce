#include "intercept/real.h"

#include <dlfcn.h>

#include "base/start_code.h"
#include "intercept/next_symbols.h"

namespace headrace::intercept {
namespace {

constinit NextSymbols next;

}  // namespace

HEADRACE_AT_START void* next_symbol(const char* name) {
  void* found = next.find(name);
  return found ? found : dlsym(RTLD_NEXT, name);
}

HEADRACE_AT_START void* next_before_libc(const char* name) { return next.find_before_libc(name); }

}  // namespace headrace::intercept

namespace headrace::real {

HEADRACE_AT_START void prepare() { intercept::next.prepare(); }

}  // namespace headrace::real
