// The reduction at the end of a parallel program: what all its ranks did becomes one part of the job log.
//
//  1. keys      each rank tells which files it has; the owner of each key tells whether others have it as well
//  2. merge     records that several ranks have are merged on their way to their owners
//  3. rows      each rank makes tables of what it owns, and compresses them; one rank in 64 joins those of the others
//  4. place     a sum over the ranks before gives each writer its place; all write at once
//
// P. Carns et al., "24/7 Characterization of Petascale I/O Workloads" (2009) describes the same for records that all ranks
// share. Every function is collective: all ranks call it, and it fails at all ranks when it fails at one.
#pragma once
#include <cstdint>
#include <vector>

#include "base/communicator.h"
#include "base/result.h"
#include "capture/reduce/rank_part.h"

namespace headrace::capture {

struct ReduceSettings {
  uint64_t job = 0;                     // of the log, as rank 0 knows it
  const MountTable* mounts = nullptr;   // of this rank's node
};

/// Steps 1 to 3. The ranks that write get their parts of the log, each closed and good to be put behind another; the
/// others get nothing.
base::Result<std::vector<uint8_t>> reduce_ranks(base::Communicator& ranks, RankSource& source, ReduceSettings settings);

/// Where the parts go.
class PartStore {
 public:
  virtual ~PartStore() = default;
  /// At rank 0: takes hold of room for `bytes` and returns the offset in bytes where it begins.
  virtual base::Result<uint64_t> begin(uint64_t bytes) = 0;
  /// At any rank: stores a part, down to the disk.
  virtual base::Status write(uint64_t offset, base::Bytes part) = 0;
  /// At rank 0, after begin(): lets go of it; `whole` is false when some part could not be stored and all must be as it
  /// was before.
  virtual base::Status end(bool whole) = 0;
};

/// Step 4.
base::Status store_parts(base::Communicator& ranks, const std::vector<uint8_t>& part, PartStore& store);

}  // namespace headrace::capture
