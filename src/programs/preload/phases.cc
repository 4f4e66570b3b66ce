// The functions by which programs mark their phases (include/headrace/phases.h finds them by these names).
#include "capture/recorder/phases.h"

#define EXPORT __attribute__((visibility("default")))

extern "C" {

EXPORT void headrace_phase_begin(const char* name);
EXPORT void headrace_phase_end(const char* name);

void headrace_phase_begin(const char* name) { headrace::capture::begin_phase(name); }
void headrace_phase_end(const char* name) { headrace::capture::end_phase(name); }

}  // extern "C"
