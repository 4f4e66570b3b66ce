// libheadrace-finalize.so: what happens to the figures of a parallel program when it calls MPI_Finalize.
//
//  1. rank 0 begins the job log, or joins it, and tells the others where it is and when it began
//  2. the ranks reduce their figures (capture/reduce) and write them
//
// It is loaded so that its calls of the C library are not captured.
#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <optional>

#include "base/collectives.h"
#include "capture/finalize_request.h"
#include "capture/harvest/job_facts.h"
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
using capture::FinalizeRequest;
using capture::Reduced;
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

/// The log that the launcher of this rank writes, or one of this launch's own.
base::Result<SharedLog> open_log(const FinalizeRequest& request) {
  const std::string spool = request.spool_path, directory = spool.substr(0, spool.rfind('/'));
  std::map<std::string, std::string> facts;
  if (request.launched != 0) {
    const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) facts = capture::read_job_facts(descriptor);
    if (descriptor >= 0) close(descriptor);
  }
  if (facts["log"].empty() || facts[capture::kIdentityFact].empty()) {
    return Status(base::Code::kNotFound, "nobody says where the job log is");
  }
  return SharedLog::open(facts["log"], facts[capture::kIdentityFact],
                         strtoull(facts["start_utc_ns"].c_str(), nullptr, 10));
}

/// Rank 0 opens the log; all learn where it is.
Status open_for_all(base::Communicator& ranks, const FinalizeRequest& request, std::optional<SharedLog>* log,
                    Place* place) {
  Status status;
  if (request.rank == 0) {
    auto opened = open_log(request);
    status = opened.status();
    if (opened.ok()) {
      *place = {opened->path(), opened->start_utc_ns()};
      log->emplace(std::move(*opened));
    }
  }
  HEADRACE_TRY(base::agree(ranks, status));
  return tell(ranks, place);
}

/// Whether launchers store what there is: each rank has one, and merging would save little.
base::Result<bool> left_to_launchers(base::Communicator& ranks, const FinalizeRequest& request, uint64_t shared_rows) {
  uint64_t alone = request.launched != 0 ? 0 : 1;
  HEADRACE_TRY(base::all_reduce(ranks, {&alone, 1}, [](uint64_t a, uint64_t b) { return a + b; }));
  return alone == 0 && request.always == 0 && shared_rows <= capture::kRowsKept;
}

Reduced finalize(const FinalizeRequest& request) {
  MpiCommunicator ranks(request);
  const std::string path = request.spool_path, name = path.substr(path.rfind('/') + 1);
  capture::SpoolName spool;
  if (!capture::parse_spool_name(name, &spool)) return Reduced::kFailed;
  const capture::MountTable mounts = capture::MountTable::of_this_process();
  SpoolSource source({static_cast<std::byte*>(request.spool), request.spool_bytes}, name, spool.image);
  capture::Reduction reduction(ranks, source, &mounts);
  const auto shared = reduction.count_shared();
  if (!shared.ok()) return Reduced::kFailed;
  const auto left = left_to_launchers(ranks, request, *shared);
  if (!left.ok()) return Reduced::kFailed;
  if (*left) return Reduced::kLeft;
  const Status kept = request.keep_copy() == 0 ? Status() : Status(base::Code::kIo, "no room for a copy");
  if (!base::agree(ranks, kept).ok()) return Reduced::kFailed;
  std::optional<SharedLog> log;
  Place place;
  if (!open_for_all(ranks, request, &log, &place).ok()) return Reduced::kLogFailed;
  source.count_from(capture::Moment::at(place.start_utc_ns));
  const bool merge = request.always != 0 || *shared > capture::kRowsKept;
  const auto part = reduction.make_parts(merge, log ? log->job() : 0);
  if (!part.ok()) return Reduced::kFailed;
  SharedFile file(place.path, log ? &*log : nullptr);
  return store_parts(ranks, *part, file).ok() ? Reduced::kDone : Reduced::kLogFailed;
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
