#pragma once
// Job logs of runs that never were: a few sentences about a job become the rows that capture would have written.
//
// A log is said in programs and in groups of files that are all alike, so that what it adds up to is known beforehand
// (docs/bench/facility.md). The same arguments give the same bytes. Plain values; safe in any thread.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace headrace::workload {

/// One run of a parallel program.
struct MadeProgram {
  std::string executable = {};
  uint64_t ranks = 0, ranks_per_node = 0, first_node = 0;
  uint64_t start_at_ns = 0, end_at_ns = 0;  // since the job's start
};

/// `sets` * `per_set` files. Those of set s are used by the ranks first_rank + s * width … + width - 1, by each of them
/// as the numbers say. A file of one rank has a row of its own, of several ranks one that stands for them.
struct MadeFiles {
  uint64_t program = 0, first_rank = 0, width = 0, sets = 0, per_set = 0;
  uint64_t opens = 0, reads = 0, writes = 0, read_size = 0, write_size = 0;  // per rank and file; bytes an operation
  uint64_t read_ns = 0, write_ns = 0, meta_ns = 0, seeks = 0;
  uint64_t reads_consecutive = 0, writes_consecutive = 0, reads_forward = 0, writes_forward = 0;
  uint64_t reads_unaligned = 0, writes_unaligned = 0;
  uint64_t read_end = 0, write_end = 0, size_at_open = 0, flags = 0;  // of the file; flags: model::flag
  uint64_t first_open_at_ns = 0, last_io_at_ns = 0;                   // since the job's start
  uint64_t collective = 0;                                            // 1: reads and writes of MPI-IO are
  std::string prefix = {};                                            // of the path; behind it stands a number
  std::vector<std::string> layers = {};                               // from the lowest one
};
inline constexpr size_t kMadeNumbers = 27;  // of MadeFiles, in the order in which they stand here

struct MadeJob {
  std::vector<std::pair<std::string, std::string>> facts;  // rows of the table `job`
  std::vector<MadeProgram> programs;
  std::vector<MadeFiles> files;
  std::string mount, mount_type;  // all files lie on it
};

/// kInvalid: a group that its program cannot have, or more than 2^24 rows.
base::Status check_made(const MadeJob& job);

/// Replaces the file. `id`: of the job and of everything in it. kInvalid as above; kIo, kNoSpace.
base::Status write_made(const std::string& path, uint64_t id, const MadeJob& job);

}  // namespace headrace::workload
