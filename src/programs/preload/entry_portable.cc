// The wrappers of entry_x86_64.S for other processors, in C++: vfork is fork, which the standard allows, and syscall()
// passes every number through the handler.
#include <stdarg.h>

#include "programs/preload/hooks.h"
#include "programs/preload/symbol.h"
#include "programs/preload/system_calls.h"

extern "C" {

__attribute__((visibility("default"))) pid_t headrace_vfork() HEADRACE_SYMBOL("vfork");
pid_t headrace_vfork() { return headrace::preload::Hooks::fork(); }
__attribute__((visibility("default"))) pid_t headrace_alias_vfork() HEADRACE_SYMBOL("__vfork");
pid_t headrace_alias_vfork() { return headrace::preload::Hooks::fork(); }

__attribute__((visibility("default"))) long headrace_syscall(long number, ...) HEADRACE_SYMBOL("syscall");
long headrace_syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (long& argument : a) argument = va_arg(rest, long);
  va_end(rest);
  return headrace::preload::system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
}
