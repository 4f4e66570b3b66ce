#pragma once
// The traced operations of a job log, table `segments`, as an event trace. Darshan's DXT modules become that table.
// See docs/interchange.md.

#include <memory>

#include "base/result.h"
#include "convert/darshan/write.h"
#include "format/sink.h"

namespace headrace::convert::darshan {

struct Traced {
  uint64_t operations = 0;  // in the trace
  uint64_t lanes = 0;       // of them, those that overlap others of their thread: they stand in threads of their own
  uint64_t left_out = 0;    // more that overlap than there are threads for
  uint64_t backward = 0;    // that end before they begin: they end where they begin
  uint64_t untraced = 0;    // reads and writes that the log counts, and of which it has no trace
};

/// kInvalid: the log has no traced operations. kIo, kNoSpace.
base::Result<Traced> write_trace(const Tables& tables, std::unique_ptr<format::Sink> sink);

}  // namespace headrace::convert::darshan
