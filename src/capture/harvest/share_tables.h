// The waiting rows of the tables `shared` and `shares`: records that stand for several ranks. One thread at a time.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/harvest/table_columns.h"
#include "model/shared_record.h"

namespace headrace::capture {

class ShareTables {
 public:
  void add(const model::SharedRecord& record);
  void add(const model::Share& share);

  uint64_t rows() const { return shared_.size() + shares_.size(); }
  /// Everything added since mark() is dropped by rewind().
  void mark();
  void rewind();
  /// `every`: also tables that never had a row.
  base::Status flush(format::Writer& writer, bool every);
  void clear();

 private:
  struct SharedRow {
    uint64_t record, ranks, bytes_least, bytes_most, time_least_ns, time_most_ns, opened_size, opened_flags;
  };
  base::Status flush_shared(format::Writer& writer);
  base::Status flush_shares(format::Writer& writer);

  std::vector<SharedRow> shared_;
  std::vector<std::string> who_;
  std::vector<double> bytes_mean_, bytes_variance_, time_mean_, time_variance_;
  std::vector<int64_t> fastest_, slowest_;
  std::vector<model::Share> shares_;
  std::vector<std::string_view> layers_, kinds_;
  size_t marked_shared_ = 0, marked_shares_ = 0;
  WrittenTables tables_;
};

}  // namespace headrace::capture
