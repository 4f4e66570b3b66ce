#pragma once
// File records merged over processes, directories, … by the rules of counters.def, column by column. Pure functions.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bindings/decode.h"
#include "bindings/frame.h"
#include "bindings/id_map.h"
#include "bindings/names.h"

namespace headrace::bindings {

/// Which file records take part.
struct Selection {
  std::vector<uint64_t> processes;       // of these process images only; empty: of all
  std::vector<std::string> kinds;        // of these kinds only; empty: of all
  std::vector<std::string> layers = {};  // of these layers only ("posix", "stdio"); empty: of all; Log::merge
                                         // alone also takes "topmost": of each file its topmost layer (topmost.h)
  std::string whose = {};                // "program": not the MPI library's own; "mpi": only these; "": all
  const IdMap* mpi_files = nullptr;      // their paths, where `whose` says something; see model/mpi_files.h

  /// Whether records of this path take part.
  bool takes(uint64_t path) const { return !mpi_files || (mpi_files->find(path) != IdMap::kNone) == (whose == "mpi"); }
};

/// Row numbers of the records that take part.
std::vector<uint32_t> select(const format::Table& files, const Selection& selection);

/// The keys `merge_files` groups by: "path" (with kind; a path that a record calls a directory is no file), "process",
/// "directory" (of the path as opened), "mount", "kind", "layer" and "all" (one row, also of nothing).
/// Columns: the key's, `files` and `processes` (distinct paths and processes); of these paths `plain_files`,
/// `directories` (of files that are called both) and `rollups` (sums of small files); `metadata_calls` (all calls that
/// neither read nor write), then the counters. A row by path also
/// has final_path (of the record closed last that was renamed, else the path), mount (of the first record) and layers
/// (all that its records have, as "posix+stdio"). A record whose layer the log does not say is of "posix".
/// Rows are in the order in which the log first has them. kInvalid: no such key.
base::Result<Frame> merge_files(const SharedTable& files, const Names& names, std::string_view by,
                                const Selection& selection);

/// What `top` sorts by: "time" and "calls" and "bytes" add up columns, "path" is the first column.
/// Row numbers of the `limit` greatest (for "path": least), ties in the frame's order. kInvalid: no such key.
base::Result<std::vector<uint64_t>> top(const Frame& frame, std::string_view sort, uint64_t limit);

}  // namespace headrace::bindings
