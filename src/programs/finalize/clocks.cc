// The clocks of a parallel program's nodes, when it begins and when it ends (capture/clock_layout.h).
#include <string>

#include "capture/clock_layout.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/spool_directory.h"
#include "capture/reduce/node_clocks.h"
#include "model/process.h"
#include "programs/finalize/memory.h"
#include "programs/finalize/mpi_communicator.h"

namespace headrace::programs {
namespace {

using capture::ClockMeasurement;
using capture::ClockRequest;

/// As the trace knows this process.
uint64_t own_id(const std::string& path) {
  capture::SpoolName spool;
  if (!capture::parse_spool_name(path.substr(path.rfind('/') + 1), &spool)) return 0;
  return model::process_id_of(capture::host_name(), spool.image.process_id, spool.image.created_ns);
}

int measure(const ClockRequest& request, ClockMeasurement* to) {
  MpiCommunicator ranks(request.mpi);
  const auto found = capture::measure_node_clock(ranks, request.node, own_id(request.spool_path), request.clock);
  if (!found.ok()) return 1;
  if (!found->measured) return 0;
  to->at = found->at;
  to->offset_ns = found->offset_ns;
  to->error_ns = found->error_ns;
  to->reference = found->reference;
  return 0;
}

}  // namespace
}  // namespace headrace::programs

extern "C" __attribute__((visibility("default"))) int headrace_measure_clocks(
    const headrace::capture::ClockRequest* request, headrace::capture::ClockMeasurement* to) {
  if (request->version != headrace::capture::kFinalizeVersion) return 1;
  if (setjmp(headrace::programs::without_memory) != 0) {
    headrace::programs::can_leave = false;
    return 1;
  }
  headrace::programs::can_leave = true;
  const int result = headrace::programs::measure(*request, to);
  headrace::programs::can_leave = false;
  return result;
}
