// A second translation unit, which also looks up symbols itself.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <headrace/phases.h>

void more(void);

void more(void) {
  headrace_phase_begin("more");
#ifdef LOOKS_UP
  if (dlsym(RTLD_DEFAULT, "no such symbol")) return;
#endif
  headrace_phase_end("more");
}
