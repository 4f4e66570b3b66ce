/* The Yorick functions of headrace.i, over <headrace/phases.h>. */
#include <headrace/phases.h>

#include "yapi.h"

void Y_headrace_phase(int count);
void Y_headrace_phase_end(int count);

static const char* name_of(int count) {
  if (count > 1) y_error("a phase has one name");
  return count == 0 || yarg_nil(0) ? NULL : ygets_q(0);
}

/* What headrace_phase returns: Yorick frees it when its last variable goes, also by an error. */
typedef struct {
  char name[256]; /* as much as the tracer keeps */
} OpenPhase;

static void end_phase(void* object) { headrace_phase_end(((OpenPhase*)object)->name); }

static y_userobj_t open_phase = {"headrace_phase", end_phase, 0, 0, 0, 0};

void Y_headrace_phase(int count) {
  const int kept = !yarg_subroutine();
  const char* name = name_of(count);
  OpenPhase* object;
  if (!name) y_error("headrace_phase needs a name");
  headrace_phase_begin(name);
  if (!kept) return;
  object = ypush_obj(&open_phase, sizeof(OpenPhase));
  object->name[0] = '\0';
  strncat(object->name, name, sizeof object->name - 1);
}

void Y_headrace_phase_end(int count) { headrace_phase_end(name_of(count)); }
