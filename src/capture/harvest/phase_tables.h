// The waiting rows of the tables `phases`, `phase_profiles`, `phase_series` and `phase_sizes`. One thread at a time.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/harvest/table_columns.h"
#include "model/phase.h"

namespace headrace::capture {

class PhaseTables {
 public:
  /// `path`: id of the phase's path in the table `names`.
  void add(uint64_t process, uint64_t path, const model::Phase& phase);

  uint64_t rows() const { return phases_.size() + profiles_.size() + series_.size() + sizes_.size(); }
  /// Everything added since mark() is dropped by rewind().
  void mark();
  void rewind();
  /// `every`: also tables that never had a row.
  base::Status flush(format::Writer& writer, bool every);
  void clear();

 private:
  struct Row {
    uint64_t process, phase, instance, instances, cut, start_at_ns, end_at_ns, time_ns, least_ns, most_ns, slowest,
        bytes_read, bytes_written, message_bytes, read_ns, write_ns, meta_ns, message_ns;
  };
  struct ProfileRow {
    uint64_t process, phase, instance, calls, errors, bytes, time_ns, own_ns;
  };
  struct SeriesRow {
    uint64_t process, phase, instance, start_at_ns, width_ns, bytes;
  };
  struct SizeRow {
    uint64_t process, phase, instance, least, most, count;
  };
  base::Status flush_phases(format::Writer& writer);
  base::Status flush_profiles(format::Writer& writer);
  base::Status flush_series(format::Writer& writer);
  base::Status flush_sizes(format::Writer& writer);

  std::vector<Row> phases_;
  std::vector<std::string_view> ended_;
  std::vector<double> variances_;
  std::vector<ProfileRow> profiles_;
  std::vector<std::string_view> functions_, profile_layers_;
  std::vector<SeriesRow> series_;
  std::vector<std::string_view> series_directions_;
  std::vector<SizeRow> sizes_;
  std::vector<std::string_view> size_layers_, size_directions_;
  size_t marks_[4] = {};
  WrittenTables tables_;
};

}  // namespace headrace::capture
