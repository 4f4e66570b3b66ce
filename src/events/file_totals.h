#pragma once
// What the events of a trace add up to by file.

#include <cstdint>
#include <string>
#include <vector>

#include "events/trace_reader.h"

namespace headrace::events {

/// Of one path in one process. Not of datasets inside of files.
struct FileTotals {
  uint64_t process = 0;
  std::string path;  // any bytes; empty: of operations whose file is not known
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

/// Of all operations of layers posix and stdio that have their end, by process and path. Decodes everything. kIo.
base::Result<std::vector<FileTotals>> file_totals(TraceReader& trace);

}  // namespace headrace::events
