// libheadrace-finalize.so: what happens to the figures of a parallel program when it calls MPI_Finalize.
//
//  1. rank 0 begins the job log, or joins it, and tells the others where it is and when it began
//  2. the ranks reduce their figures (capture/reduce) and write them
//
// It is loaded so that its calls of the C library are not captured.
#include <optional>
#include <utility>

#include "base/collectives.h"
#include "capture/finalize_request.h"
#include "capture/harvest/cluster_notes.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/spool_directory.h"
#include "capture/reduce/end_clusters.h"
#include "capture/reduce/reduce.h"
#include "programs/finalize/memory.h"
#include "programs/finalize/mpi_communicator.h"
#include "programs/finalize/place.h"
#include "programs/finalize/shared_file.h"
#include "programs/finalize/spool_source.h"

namespace headrace::programs {

namespace {

using base::Status;
using capture::FinalizeRequest;
using capture::Reduced;
using capture::SharedLog;

/// What all ranks do, whatever the settings of each.
struct Plan {
  bool launched = false;  // each rank has a launcher that stores what there is
  bool always = false, never = false, few = false, cluster = false, stand = false;

  bool merges(uint64_t shared_rows) const { return always || shared_rows > capture::kRowsKept; }
};

base::Result<Plan> plan_of(base::Communicator& ranks, const FinalizeRequest& request) {
  uint64_t wishes[] = {request.launched ^ 1u, request.always,  request.never,
                       request.few ^ 1u,      request.cluster, request.stand};
  HEADRACE_TRY(base::all_reduce(ranks, wishes, [](uint64_t a, uint64_t b) { return a + b; }));
  Plan plan;
  plan.launched = wishes[0] == 0;
  plan.always = wishes[1] != 0;
  plan.never = wishes[2] != 0;
  plan.few = wishes[3] == 0;
  plan.cluster = wishes[4] != 0;
  plan.stand = wishes[5] != 0 && !plan.never;
  return plan;
}

struct NoRecords : capture::RecordSink {
  void record(const model::FileRecord&) override {}
};

/// Each rank's spool gets what it learns, whatever becomes of the reduction.
base::Result<model::Clusters> find_clusters(base::Communicator& ranks, SpoolSource& source,
                                            const FinalizeRequest& request) {
  NoRecords none;
  const auto mine = source.read(none);
  HEADRACE_TRY(base::agree(ranks, mine.status()));
  HEADRACE_ASSIGN(model::Clusters found, capture::cluster_at_end(ranks, *mine));
  const std::vector<uint8_t> notes = capture::encode_clusters(found);
  (void)request.keep_clusters(notes.data(), notes.size());
  return found;
}

Reduced finalize_over(base::Communicator& ranks, const FinalizeRequest& request) {
  const std::string path = request.spool_path, name = path.substr(path.rfind('/') + 1);
  capture::SpoolName spool;
  if (!capture::parse_spool_name(name, &spool)) return Reduced::kFailed;
  const capture::MountTable mounts = capture::MountTable::of_this_process();
  SpoolSource source({static_cast<std::byte*>(request.spool), request.spool_bytes}, name, spool.image);
  capture::Reduction reduction(ranks, source, &mounts);
  const auto plan = plan_of(ranks, request);
  if (!plan.ok()) return Reduced::kFailed;
  if (plan->cluster) {
    auto clusters = find_clusters(ranks, source, request);
    if (!clusters.ok()) return Reduced::kFailed;
    const bool is_one = capture::stands_for_itself(*clusters, request.mpi.rank);
    const bool found = !clusters->of_rank.empty();  // so at all ranks
    reduction.add_clusters(std::move(*clusters));
    if (plan->stand && found) reduction.let_representatives_stand(is_one);
  }
  if (ranks.size() == 1 || plan->never || (plan->launched && plan->few && !plan->always)) return Reduced::kLeft;
  const auto shared = reduction.count_shared();
  if (!shared.ok()) return Reduced::kFailed;
  const bool merge = plan->merges(*shared);
  if (plan->launched && !merge) return Reduced::kLeft;
  Place place(path);
  const auto one_log = place.agree_on_log(ranks);
  if (!one_log.ok()) return Reduced::kFailed;
  if (!*one_log) return Reduced::kLogsDiffer;
  static_cast<capture::Header*>(request.spool)->reduction = place.reduction();
  const Status kept = request.keep_copy() == 0 ? Status() : Status(base::Code::kIo, "no room for a copy");
  if (!base::agree(ranks, kept).ok()) return Reduced::kFailed;
  std::optional<SharedLog> log;
  Status opened;
  if (request.mpi.rank == 0) {
    auto found = place.open_log(reduction.process(), static_cast<const capture::Header*>(request.spool)->realtime_ns);
    opened = found.status();
    if (found.ok()) log.emplace(std::move(*found));
  }
  if (!base::agree(ranks, opened).ok() || !place.tell(ranks, log).ok()) return Reduced::kLogFailed;
  if (!place.trouble().empty()) reduction.add_gap({"working directory", 1, "directories", place.trouble()});
  source.count_from(capture::Moment::at(place.start_utc_ns()));
  if (place.is_new()) {
    place.keep();  // whoever collects here must look into that log, also if this rank does not hear of the end
    reduction.add_fact(place.part(), "no: what ranks on " + capture::host_name() +
                                         " did after MPI_Finalize is still there; run `headrace collect` on it");
  }
  // With the rest of rank 0's part it counts when all parts do, and tells so.
  if (request.mpi.rank == 0)
    reduction.add_fact(capture::kReductionFact + capture::identity_text(place.reduction()), "yes");
  const auto part = reduction.make_parts(merge, log ? log->job() : 0, place.reduction());
  if (!part.ok()) return Reduced::kFailed;
  if (const auto& files = reduction.files_to_ask(); !files.empty()) (void)request.keep_more(files.data(), files.size());
  SharedFile file(place.path(), log ? &*log : nullptr);
  switch (store_parts(ranks, *part, file)) {
    case capture::Stored::kAll:
      return Reduced::kDone;
    case capture::Stored::kNothing:
      return Reduced::kLogFailed;
    case capture::Stored::kUnknown:
      return Reduced::kUndecided;
  }
  return Reduced::kUndecided;
}

Reduced finalize(const FinalizeRequest& request) {
  base::SerialCommunicator alone;
  if (request.mpi.ranks == 1) return finalize_over(alone, request);
  MpiCommunicator ranks(request.mpi);
  return finalize_over(ranks, request);
}

}  // namespace
}  // namespace headrace::programs

extern "C" __attribute__((visibility("default"))) headrace::capture::Reduced headrace_finalize(
    const headrace::capture::FinalizeRequest* request) {
  using headrace::capture::Reduced;
  if (request->version != headrace::capture::kFinalizeVersion) return Reduced::kFailed;
  if (setjmp(headrace::programs::without_memory) != 0) {
    headrace::programs::can_leave = false;
    return Reduced::kNoMemory;
  }
  headrace::programs::can_leave = true;
  const Reduced result = headrace::programs::finalize(*request);
  headrace::programs::can_leave = false;
  return result;
}
