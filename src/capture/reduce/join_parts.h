// Parts of a job log as bytes: making one of a rank's tables, and making one of many.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "capture/harvest/log_tables.h"

namespace headrace::capture {

/// The tables as a closed log; rank 0 writes also those without rows, so that the whole has every table.
base::Result<std::vector<uint8_t>> write_part(LogTables& tables, uint64_t job, uint32_t rank);

/// Puts small parts of several ranks together, table by table, so that a log of 65,536 ranks has thousands of chunks
/// and not millions; large ones follow as they are. Names, modules, stacks and mounts that several have are stored
/// once.
class PartJoiner {
 public:
  PartJoiner(uint64_t job, uint32_t rank) : job_(job), rank_(rank) {}
  void add(std::vector<uint8_t> part);
  /// One closed log, or several, one behind the other.
  base::Result<std::vector<uint8_t>> finish();

 private:
  uint64_t job_;
  uint32_t rank_;
  uint32_t small_parts_ = 0;
  std::vector<uint8_t> small_, large_;
};

}  // namespace headrace::capture
