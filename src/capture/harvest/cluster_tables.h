// The waiting rows of the tables `clusters` and `cluster_stats`. One thread at a time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/writer.h"
#include "model/clusters.h"

namespace headrace::capture {

class ClusterTables {
 public:
  /// `path`: id of the phase's path in the table `names`.
  void add(uint64_t process, uint64_t path, const model::ClusterMember& member);
  void add(uint64_t instance, uint64_t path, const model::ClusterStats& stats);

  uint64_t rows() const { return members_.size() + stats_.size(); }
  /// Everything added since mark() is dropped by rewind().
  void mark();
  void rewind();
  /// `every`: also tables that never had a row.
  base::Status flush(format::Writer& writer, bool every);
  void clear();

 private:
  struct MemberRow {
    uint64_t process, phase, cluster, outlier, missing, kept;
  };
  struct StatsRow {
    uint64_t instance, phase, cluster, ranks, outliers;
  };
  bool due(uint32_t table, bool has_rows, bool every);
  base::Status flush_members(format::Writer& writer);
  base::Status flush_stats(format::Writer& writer);

  std::vector<MemberRow> members_;
  std::vector<StatsRow> stats_;
  std::vector<int64_t> member_representatives_, stats_representatives_;
  std::vector<std::string> layers_, functions_;
  std::vector<double> means_, variances_, least_, most_;
  size_t marks_[2] = {};
  uint32_t written_ = 0;
};

}  // namespace headrace::capture
