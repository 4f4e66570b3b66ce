// Parts of a job log as bytes: making one of a rank's tables, and making one of many.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "capture/harvest/log_tables.h"

namespace headrace::capture {

/// Whose part it is.
struct PartName {
  uint64_t job = 0;        // of the log
  uint64_t reduction = 0;  // which one: the writer of all its chunks
  uint32_t rank = 0;
};

/// The tables as a closed log; rank 0 writes also those without rows, so that the whole has every table.
base::Result<std::vector<uint8_t>> write_part(LogTables& tables, const PartName& name);

/// The same for rows that come late: to be put behind that rank's part.
base::Result<std::vector<uint8_t>> write_late_part(LogTables& tables, const PartName& name);

/// Puts small parts of several ranks together, table by table, so that a log of 65,536 ranks has thousands of chunks
/// and not millions; large ones follow as they are. Names, modules, stacks and mounts that several have are stored
/// once.
class PartJoiner {
 public:
  explicit PartJoiner(const PartName& name) : name_(name) {}
  void add(std::vector<uint8_t> part);
  /// One closed log, or several, one behind the other.
  base::Result<std::vector<uint8_t>> finish();

 private:
  PartName name_;
  uint32_t small_parts_ = 0;
  std::vector<uint8_t> small_, large_;
};

}  // namespace headrace::capture
