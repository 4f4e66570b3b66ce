/* The Yorick functions of headrace.i, over <headrace/phases.h> and <headrace/clusters.h>. */
#include <headrace/clusters.h>
#include <headrace/phases.h>

#include "pstdlib.h"
#include "yapi.h"

void Y_headrace_phase(int count);
void Y_headrace_phase_end(int count);
void Y__headrace_cluster(int count);

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

/* Name and a variable for the error in words; the rest of HeadraceCluster in headrace.i as numbers. */
void Y__headrace_cluster(int count) {
  struct headrace_cluster mine;
  long dims[2] = {1, 11}, why;
  double* found;
  ystring_t* text;
  const char* name;
  int error;
  if (count != 2) y_error("_headrace_cluster takes a name and a variable");
  name = yarg_nil(1) ? NULL : ygets_q(1);
  why = yget_ref(0);
  memset(&mine, 0, sizeof mine);
  error = headrace_cluster_phase(name, &mine);
  text = ypush_q(NULL);
  text[0] = p_strcpy(headrace_cluster_error(error));
  if (why >= 0) yput_global(why, 0);
  yarg_drop(1);
  found = ypush_d(dims);
  found[0] = error;
  found[1] = mine.cluster;
  found[2] = mine.clusters;
  found[3] = mine.size;
  found[4] = mine.representative;
  found[5] = mine.outlier;
  found[6] = mine.missing;
  found[7] = mine.ranks_missing;
  found[8] = mine.outliers;
  found[9] = (double)mine.instance;
  found[10] = mine.distance;
}
