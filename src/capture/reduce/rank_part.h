// What one rank adds to the job log: rows of its own, and what it gives to the owners of shared records.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "capture/harvest/log_tables.h"
#include "capture/harvest/mounts.h"
#include "capture/harvest/spool_reader.h"
#include "capture/reduce/butterfly.h"

namespace headrace::capture {

/// Where a rank's figures come from. They are read twice, the same both times.
class RankSource {
 public:
  virtual ~RankSource() = default;
  /// The process must be complete: id, host, rank, ranks and instance.
  virtual base::Result<SpoolContents> read(RecordSink& sink) = 0;
};

/// How many files of a rank keep what it did to each of them, of those that it shares; the rest is summed. So that all
/// ranks together keep about a million.
uint64_t shares_kept(int ranks);

class RankPart {
 public:
  /// `mounts` may be null.
  RankPart(RankSource& source, const MountTable* mounts);

  /// Before divide(): which reduction this is of; equal at all ranks.
  void stand_for(uint64_t reduction);
  /// The process that stands for all ranks of the program.
  uint64_t standing() const { return standing_; }

  /// Before keys(): what the ranks found out about themselves.
  void add_clusters(model::Clusters clusters) { clusters_ = std::move(clusters); }
  /// Before keys(), at all ranks: those that represent none, and are like others, keep sums alone.
  void let_representatives_stand(bool is_one);
  bool is_stood_for() const { return standing_for_ == Standing::kStoodFor; }
  /// After divide(): all rows that the rank would have had otherwise.
  base::Result<uint64_t> make_whole(LogTables* tables);

  /// Keys of what may be shared, ascending.
  base::Result<std::vector<uint64_t>> keys();
  /// After keys(), with the census' answers: makes the rank's own rows, and returns the records that others have too.
  base::Result<Parcels> divide(const std::vector<uint8_t>& shared, int ranks);
  /// Adds the rows of the records that this rank owns now.
  base::Status add_owned(const Parcels& owned);

  LogTables& tables() { return tables_; }
  /// Files of its rows that have layouts, as whoever gathers the spools wants them (capture/harvest/files_to_ask.h).
  const std::vector<uint8_t>& files_to_ask() const { return files_to_ask_; }
  const model::Process& process() const { return contents_.process; }
  const SpoolContents& contents() const { return contents_; }

 private:
  class Keys;
  class Divider;
  class Whole;
  uint64_t census_key(const model::FileRecord& record) const;
  const Mount* mount_of(const std::string& path) const { return mounts_ ? mounts_->find(path) : nullptr; }
  void add_file(uint64_t process, const model::FileRecord& record);
  void add_shares(std::vector<model::Share> shares, int ranks);
  void add_contents(LogTables& tables);

  RankSource& source_;
  const MountTable* mounts_;
  SpoolContents contents_;
  model::Clusters clusters_;
  enum class Standing { kEach, kRepresentative, kStoodFor } standing_for_ = Standing::kEach;
  uint64_t standing_ = 0;
  std::vector<uint64_t> keys_;
  LogTables tables_;
  std::vector<uint8_t> files_to_ask_;
  const bool has_layouts_;  // some mount tells how files are laid out
};

}  // namespace headrace::capture
