// The reduction at the end of a parallel program: what all its ranks did becomes one part of the job log.
//
//  1. keys      each rank tells which files it has; the owner of each key tells whether others have it as well
//  2. merge     records that several ranks have are merged on their way to their owners
//  3. rows      each rank makes tables of what it owns, and compresses them; one rank in 64 joins those of the others
//  4. place     a sum over the ranks before gives each writer its place; all write at once
//
// P. Carns et al., "24/7 Characterization of Petascale I/O Workloads" (2009) describes the same for records that all
// ranks share. Every function is collective: all ranks call it, and it fails at all ranks when it fails at one.
#pragma once
#include <cstdint>
#include <vector>

#include "base/communicator.h"
#include "base/result.h"
#include "capture/reduce/join_parts.h"
#include "capture/reduce/named_sums.h"
#include "capture/reduce/rank_part.h"

namespace headrace::capture {

class Reduction {
 public:
  /// `mounts`: of this rank's node, or null. All must outlive this.
  Reduction(base::Communicator& ranks, RankSource& source, const MountTable* mounts)
      : ranks_(ranks), part_(source, mounts) {}

  /// Step 1. Returns how many records of all ranks together are about something that another rank has as well: as many
  /// rows less one for each such thing is what merging saves.
  base::Result<uint64_t> count_shared();

  /// What count_shared() learned of this rank.
  const model::Process& process() const { return part_.process(); }
  /// This rank's files, and merged ones that it owns, whose layouts are to be asked for; after make_parts().
  const std::vector<uint8_t>& files_to_ask() const { return part_.files_to_ask(); }
  /// A fact for the table `job`; equal ones of several ranks are stored once a writer.
  void add_fact(std::string key, std::string value) { part_.tables().add_fact(std::move(key), std::move(value)); }
  /// Something about the whole program that is not in the figures.
  void add_gap(const model::Gap& gap) { part_.tables().add_gap(0, gap); }

  /// Before count_shared(): what the ranks found out about themselves.
  void add_clusters(model::Clusters clusters) { part_.add_clusters(std::move(clusters)); }
  /// Before count_shared(), after add_clusters(): the log keeps what representatives and outliers did, and sums of what
  /// those did that they stand for. `is_one`: this rank is one of the former. make_parts() is to merge, then.
  void let_representatives_stand(bool is_one) {
    part_.let_representatives_stand(is_one);
    stand_ = true;
  }

  /// Steps 2 and 3, after count_shared(). `merge`: ranks' records of the same thing become one; otherwise each rank
  /// keeps its own. `job`: of the log, as rank 0 knows it. `id`: of this reduction, equal at all ranks and at no other
  /// one in that log. The ranks that write get their parts of the log, each closed and good to be put behind another;
  /// the others get nothing.
  base::Result<std::vector<uint8_t>> make_parts(bool merge, uint64_t job, uint64_t id);

 private:
  base::Status add_program();
  base::Status add_standing_sums();
  base::Result<std::vector<uint8_t>> join(LogTables& tables, const PartName& name);
  base::Status tell_what_was_saved(std::vector<uint8_t>* joined, const PartName& name);
  base::Result<std::vector<uint8_t>> gather(std::vector<uint8_t> mine, const PartName& name);

  base::Communicator& ranks_;
  RankPart part_;
  std::vector<uint8_t> shared_;  // an answer for each key
  bool stand_ = false;           // representatives do
  NamedSums sums_;               // rows that wait look into it
};

/// Up to so many rows of shared records of all ranks a log keeps them all: what merging would lose, the details of each
/// rank, is worth more then than the room it would save.
inline constexpr uint64_t kRowsKept = 1 << 16;

/// Whether the log has what the ranks wrote: all of it, nothing, or one or the other.
enum class Stored { kAll, kNothing, kUnknown };

/// Where the parts go. What is written counts only after end(kAll), and then all at once.
class PartStore {
 public:
  virtual ~PartStore() = default;
  /// At rank 0: takes hold of room for `bytes` and returns the offset in bytes where it begins.
  virtual base::Result<uint64_t> begin(uint64_t bytes) = 0;
  /// At any rank: stores a part, down to the disk.
  virtual base::Status write(uint64_t offset, base::Bytes part) = 0;
  /// At rank 0, after begin(): lets go of it. kAll: all parts are there, and count if this succeeds. kNothing: no rank
  /// writes any more. kUnknown: some may still write.
  virtual base::Status end(Stored what) = 0;
};

/// Step 4. kUnknown: this rank did not hear of the end; the log says whether it has the parts.
Stored store_parts(base::Communicator& ranks, const std::vector<uint8_t>& part, PartStore& store);

}  // namespace headrace::capture
