// Records of ranks that others stand for. Those of files that another rank used as well keep their names; the others
// are folded into one sum for each mount, so that what a log has of them does not grow with the ranks.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>

#include "model/file_record.h"

namespace headrace::capture {

/// Sums in the place of records, by key_of() of group_record.h.
class FoldedRecords {
 public:
  /// `mount`: where the one is mounted that the file lies on. Returns what the record is counted as.
  const model::FileRecord& add(const model::FileRecord& record, const std::string& mount);
  const std::map<uint64_t, model::FileRecord>& records() const { return records_; }

 private:
  std::map<uint64_t, model::FileRecord> records_;
  std::unordered_set<uint64_t> counted_;  // files whose records of several layers of the system make one
};

}  // namespace headrace::capture
