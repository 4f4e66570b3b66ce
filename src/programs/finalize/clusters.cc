// Clusters of the ranks while the program runs, asked for through include/headrace/clusters.h.
#include "base/communicator.h"
#include "capture/cluster_request.h"
#include "capture/harvest/clock_map.h"
#include "capture/reduce/rank_clusters.h"
#include "programs/finalize/memory.h"
#include "programs/finalize/mpi_communicator.h"

namespace headrace::programs {
namespace {

using capture::ClusterRequest;
using capture::RankClusters;

capture::RankTimes times_of(const ClusterRequest& request) {
  const capture::Moment now = capture::Moment::now();
  const capture::ClockMap clock(*request.header, now, now);
  capture::RankTimes mine;
  mine.asked = request.asked;
  mine.missing = request.has_phase == 0;
  for (uint32_t i = 0; i < request.count; ++i) {
    const capture::FunctionSum& sum = request.sums[i];
    if (sum.calls == 0 && sum.errors == 0) continue;
    mine.times.push_back({sum.function, clock.duration_ns(sum.time > sum.inside ? sum.time - sum.inside : 0)});
  }
  return mine;
}

void answer(const RankClusters& all, const ClusterRequest& request, headrace_cluster* mine) {
  const uint32_t cluster = all.found.assigned.at(0);
  if (mine == nullptr || cluster == cluster::kNoCluster) return;
  mine->cluster = static_cast<int>(cluster);
  mine->clusters = static_cast<int>(all.found.clusters.size());
  mine->size = static_cast<int>(all.found.clusters[cluster].regular);
  mine->representative = static_cast<int>(all.found.clusters[cluster].representative);
  mine->outlier = all.is_outlier() ? 1 : 0;
  mine->missing = request.has_phase == 0 ? 1 : 0;
  mine->ranks_missing = static_cast<int>(all.missing);
  mine->outliers = static_cast<int>(all.found.outliers);
  mine->instance = request.instance;
  mine->distance = all.distance();
}

int cluster_over(base::Communicator& ranks, const ClusterRequest& request, headrace_cluster* mine) {
  const auto all = capture::cluster_ranks(ranks, times_of(request));
  if (!all.ok()) return all.status().code() == base::Code::kIo ? HEADRACE_CLUSTER_NO_ANSWER : HEADRACE_CLUSTER_FAILED;
  if (all->different) return HEADRACE_CLUSTER_DIFFERENT;
  if (all->missing == static_cast<uint64_t>(ranks.size())) return HEADRACE_CLUSTER_NO_PHASE;
  if (all->functions.empty()) return HEADRACE_CLUSTER_NOTHING_DONE;
  answer(*all, request, mine);
  return HEADRACE_CLUSTER_FOUND;
}

int cluster(const ClusterRequest& request, headrace_cluster* mine) {
  if (request.mpi.ranks > 1) {
    MpiCommunicator ranks(request.mpi);
    return cluster_over(ranks, request, mine);
  }
  base::SerialCommunicator alone;
  return cluster_over(alone, request, mine);
}

}  // namespace
}  // namespace headrace::programs

extern "C" __attribute__((visibility("default"))) int headrace_cluster_ranks(
    const headrace::capture::ClusterRequest* request, headrace_cluster* mine) {
  if (request->version != headrace::capture::kFinalizeVersion) return HEADRACE_CLUSTER_FAILED;
  if (setjmp(headrace::programs::without_memory) != 0) {
    headrace::programs::can_leave = false;
    return HEADRACE_CLUSTER_FAILED;
  }
  headrace::programs::can_leave = true;
  const int result = headrace::programs::cluster(*request, mine);
  headrace::programs::can_leave = false;
  return result;
}
