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

HEADRACE_LARGE FunctionSum copied_sums[kMostFunctions];

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
      request.count = request.has_phase ? copy_function_sums(phase->latest_functions, copied_sums) : 0;
    } else {
      read_process_sums();
      request.has_phase = 1;
      request.count = copy_read_sums(copied_sums);
    }
  }
  update.leave();
  request.sums = copied_sums;
}

/// What is asked before the communicator is there is the same at all ranks, or of them all: one that turned back alone
/// would leave the others in MPI_Comm_idup, which the collective operations of the program must not come across. A rank
/// that fails later is waited for in vain, by messages that nobody else sees.
int cluster(const char* path, headrace_cluster* mine) {
  const mpi::Library& m = mpi::found_library();
  const bool several = spool.header->ranks > 1;
  if (spool.header->ranks < 1 || mpi::is_over()) return HEADRACE_CLUSTER_NO_MPI;
  if (!m.known || m.byte_type == 0 || m.errors_return == 0) return HEADRACE_CLUSTER_UNKNOWN_MPI;
  if (mpi::some_untraced(m)) return HEADRACE_CLUSTER_SOME_UNTRACED;
  if (several && !mpi::look_up_ours(m.code)) return HEADRACE_CLUSTER_UNKNOWN_MPI;
  Outermost own(&mpi::frame);
  if (several && !mpi::make_ours(m)) return HEADRACE_CLUSTER_NO_ANSWER;
  const auto find = reinterpret_cast<ClusterFunction>(mpi::function_of_library(kClusterFunction));
  ClusterRequest request{};
  request.version = kFinalizeVersion;
  request.header = spool.header;
  request.asked = path ? base::hash_text(path) : 0;
  fill(path, request);
  request.mpi = mpi::access_to_ours(m);
  const int result = find ? find(&request, mine) : HEADRACE_CLUSTER_FAILED;
  if (result == HEADRACE_CLUSTER_NO_ANSWER || result == HEADRACE_CLUSTER_FAILED) mpi::lose_ours();
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
