// libheadrace-finalize.so: what happens to the figures of a parallel program when it calls MPI_Finalize.
//
//  1. rank 0 begins the job log, or joins it, and tells the others where it is and when it began
//  2. the ranks reduce their figures (capture/reduce) and write them
//
// It is loaded so that its calls of the C library are not captured.
#include <setjmp.h>

#include <cstring>
#include <optional>

#include "base/collectives.h"
#include "capture/finalize_request.h"
#include "capture/harvest/shared_log.h"
#include "capture/harvest/spool_directory.h"
#include "capture/reduce/reduce.h"
#include "programs/finalize/mpi_communicator.h"
#include "programs/finalize/shared_file.h"
#include "programs/finalize/spool_source.h"

namespace headrace::programs {

extern jmp_buf without_memory;
extern thread_local bool can_leave;

namespace {

using base::Status;
using capture::Finalized;
using capture::FinalizeRequest;
using capture::SharedLog;

struct Place {
  std::string path;
  uint64_t start_utc_ns = 0;
};

/// Rank 0's place of the log, given to all.
Status tell(base::Communicator& ranks, Place* place) {
  std::vector<uint8_t> bytes;
  base::ByteWriter to(bytes);
  to.u64(place->start_utc_ns);
  to.append(base::as_bytes(place->path));
  HEADRACE_TRY(base::broadcast(ranks, &bytes));
  base::ByteReader from(bytes);
  place->start_utc_ns = from.u64();
  place->path = base::as_text(from.take(from.left()));
  return from.ok() ? Status() : Status(base::Code::kCorrupt, "rank 0 names no log");
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Finalized finalize(const FinalizeRequest& request) {
  MpiCommunicator ranks(request);
  const std::string spool = base_name(request.spool_path);
  capture::SpoolName name;
  Status status = capture::parse_spool_name(spool, &name) ? Status() : Status(base::Code::kInvalid, spool);
  std::optional<SharedLog> log;
  Place place;
  if (request.rank == 0 && status.ok()) {
    auto joined = SharedLog::join(request.log_path);
    status = joined.status();
    if (joined.ok()) {
      place = {joined->path(), joined->start_utc_ns()};
      log.emplace(std::move(*joined));
    }
  }
  if (!base::agree(ranks, status).ok()) return Finalized::kLogFailed;
  if (!tell(ranks, &place).ok()) return Finalized::kFailed;
  const capture::MountTable mounts = capture::MountTable::of_this_process();
  SpoolSource source({static_cast<std::byte*>(request.spool), request.spool_bytes}, spool, name.image,
                     capture::Moment::at(place.start_utc_ns));
  const auto part = reduce_ranks(ranks, source, {log ? log->job() : 0, &mounts});
  if (!part.ok()) return Finalized::kFailed;
  SharedFile file(place.path, log ? &*log : nullptr);
  return store_parts(ranks, *part, file).ok() ? Finalized::kReduced : Finalized::kLogFailed;
}

}  // namespace
}  // namespace headrace::programs

extern "C" __attribute__((visibility("default"))) headrace::capture::Finalized headrace_finalize(
    const headrace::capture::FinalizeRequest* request) {
  using headrace::capture::Finalized;
  if (request->version != headrace::capture::kFinalizeVersion) return Finalized::kFailed;
  if (setjmp(headrace::programs::without_memory) != 0) {
    headrace::programs::can_leave = false;
    return Finalized::kNoMemory;
  }
  headrace::programs::can_leave = true;
  const Finalized result = headrace::programs::finalize(*request);
  headrace::programs::can_leave = false;
  return result;
}
