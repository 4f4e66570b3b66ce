#pragma once
// A job log as a Darshan log of format 3.41. See docs/darshan.md for what becomes of what.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "format/columns.h"

namespace headrace::convert::darshan {

/// Gives a table of the job log, null when it has none of that name.
using Tables = std::function<std::shared_ptr<const format::Table>(const std::string& name)>;

/// What Darshan has no place for.
struct LeftOut {
  uint64_t processes = 0, records = 0, bytes = 0;  // of processes that neither are ranks nor were started by one
  uint64_t mpi_files = 0;                          // records of files that the MPI library made for itself
  uint64_t unranked_bytes = 0;                     // over time, of which only all ranks together are known
};

/// The bytes of the file. A log that was a Darshan log has its records as they were, in the newest version of each.
std::vector<uint8_t> write_log(const Tables& tables, LeftOut* left_out = nullptr);

}  // namespace headrace::convert::darshan
