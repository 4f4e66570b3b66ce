#pragma once
// Which threads are the MPI library's own: those that began while the first thread of their process was in MPI_Init.

#include <vector>

#include "events/trace_reader.h"

namespace headrace::events {

/// Of these, as numbers in TraceReader::locations(), in order. None where calls of MPI are not in the trace. Decodes
/// the first chunks of their processes, where that have such that are not the first, up to where the last of these
/// begins. kIo.
base::Result<std::vector<uint32_t>> threads_of_mpi(TraceReader& trace, const std::vector<uint32_t>& locations);

}  // namespace headrace::events
