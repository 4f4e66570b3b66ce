// The function by which programs ask for clusters of their ranks (include/headrace/clusters.h finds it by this name).
#include "capture/recorder/clusters.h"

#undef headrace_cluster_phase

extern "C" {

__attribute__((visibility("default"))) int headrace_cluster_phase(const char* phase, headrace_cluster* mine);

int headrace_cluster_phase(const char* phase, headrace_cluster* mine) {
  return headrace::capture::cluster_phase(phase, mine);
}

}  // extern "C"
