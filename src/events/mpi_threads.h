#pragma once
// Which threads are the MPI library's own: those that began while the first thread of their process was in MPI_Init.

#include <vector>

#include "events/trace_reader.h"

namespace headrace::events {

/// Numbers in TraceReader::locations(). None where calls of MPI are not in the trace. Decodes the first chunks of
/// processes with several threads, up to where the last of these begins. kIo.
base::Result<std::vector<uint32_t>> threads_of_mpi(TraceReader& trace);

}  // namespace headrace::events
