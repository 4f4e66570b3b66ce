#include "capture/recorder/clusters.h"

#include <errno.h>

#include "base/hash.h"
#include "capture/cluster_request.h"
#include "capture/recorder/mpi.h"
#include "capture/recorder/mpi_finalize.h"
#include "capture/recorder/mpi_ours.h"
#include "capture/recorder/phase_sums.h"
#include "capture/recorder/phases.h"
#include "capture/recorder/process.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/stream.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

FunctionSum sums[kMostFunctions];
mpi::Ours ours;
bool lost;  // a rank did not come: what is still under way makes the communicator useless

/// What this rank did. The figures are copied, as the lock must not be held while other ranks are waited for.
void fill(const char* path, ClusterRequest& request) {
  settle_all(Coming::kGoOn);
  Update update;
  if (!update.enter()) return;
  {
    SpoolLock lock;
    if (path) {
      const Phase* phase = known_phase(path);
      request.has_phase = phase && phase->latest != 0 ? 1 : 0;
      request.instance = request.has_phase ? phase->latest : 0;
      request.count = request.has_phase ? copy_function_sums(phase->latest_functions, sums) : 0;
    } else {
      read_process_sums();
      request.has_phase = 1;
      request.count = copy_read_sums(sums);
    }
  }
  update.leave();
  request.sums = sums;
}

int cluster(const char* path, headrace_cluster* mine) {
  const mpi::Library& m = mpi::found_library();
  if (spool.header->ranks < 1 || mpi::is_over()) return HEADRACE_CLUSTER_NO_MPI;
  if (lost) return HEADRACE_CLUSTER_NO_ANSWER;
  if (!m.known || m.byte_type == 0 || m.errors_return == 0) return HEADRACE_CLUSTER_UNKNOWN_MPI;
  if (mpi::some_untraced(m)) return HEADRACE_CLUSTER_SOME_UNTRACED;
  const auto find = reinterpret_cast<ClusterFunction>(mpi::function_of_library(kClusterFunction));
  if (!find) return HEADRACE_CLUSTER_FAILED;
  Outermost own(&mpi::frame);
  ClusterRequest request{};
  request.version = kFinalizeVersion;
  request.header = spool.header;
  request.asked = path ? base::hash_text(path) : 0;
  fill(path, request);
  if (spool.header->ranks > 1 && !ours.communicator) {
    if (!mpi::look_up_ours(m.code)) return HEADRACE_CLUSTER_UNKNOWN_MPI;
    if (!mpi::make_ours(m, settings_in_force().patience_ns, &ours)) {
      lost = true;
      return HEADRACE_CLUSTER_NO_ANSWER;
    }
  }
  request.mpi = mpi::access_over(m, ours.communicator);
  const int result = find(&request, mine);
  lost = result == HEADRACE_CLUSTER_NO_ANSWER || result == HEADRACE_CLUSTER_FAILED;
  return result;
}

}  // namespace

int cluster_phase(const char* path, headrace_cluster* mine) {
  const int saved = errno;
  const bool traced = !in_vfork_child() && ready();
  const int result = traced ? cluster(path, mine) : HEADRACE_CLUSTER_NOT_TRACED;
  errno = saved;
  return result;
}

}  // namespace headrace::capture
