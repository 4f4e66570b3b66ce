#pragma once
// The same files, or directories, of several runs side by side. Pure functions.
//
// A file is the same when path and kind are. Where a run began in a directory of its own, its paths are also compared
// from there on: a file that is in no other run by its path is the same as the one of that name below the other
// run's directory. Each file of a run is matched once, and nothing is matched by likeness.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bindings/frame.h"

namespace headrace::bindings {

struct Run {
  const Frame* frame = nullptr;  // of merge_files, by "path" or "directory"
  std::string directory;         // where the run's names begin; "" or "/": nowhere
  uint32_t side = 0;             // runs of one side are repetitions; sides are numbered from 0
};

/// One row a file, in the order of the runs. Columns:
///   path, kind      as the first run that has it names it
///   matched         "path"; "directory": at least one run has it by its place below that run's directory; "": one
///                   side alone has it
///   row_R           of each run: its row in the run's frame as i64, -1 when the run lacks it
///   present_S       of each side: in how many of its runs it is
///   below_S         of each side: how many of these have it by their directory
///   time_ns_S, read_ns_S, write_ns_S, meta_ns_S, bytes_S, bytes_read_S, bytes_written_S, calls_S, reads_S, writes_S,
///   metadata_calls_S, opens_S    of each side as f64: the mean over its runs, 0 where the file is not; durations of a
///                   clock that went backwards are negative
/// kInvalid: no runs, or a frame that is merged by something else. kLimit: more than 2^32 - 1 files.
base::Result<Frame> match_files(const std::vector<Run>& runs);

/// Numbers of the `limit` rows of a frame of match_files in which `term` ("time_ns", "bytes", "calls") of any side
/// differs most from side 0, without those in which none of the three differs; with the term "path", the first ones by
/// name.
std::vector<uint64_t> most_changed(const Frame& matched, std::string_view term, uint32_t sides, uint64_t limit);

/// How the files of one side and of side 0 were matched, the time inside calls of those that were not, and the sum of
/// the changes of time of all files, each without its sign.
struct MatchCounts {
  uint64_t by_path = 0, by_directory = 0, only_in_base = 0, only_in_side = 0;
  double time_ns_only_in_base = 0, time_ns_only_in_side = 0, moved_ns = 0;
};
MatchCounts match_counts(const Frame& matched, uint32_t side);

}  // namespace headrace::bindings
