#pragma once
// A scan's file: its result, and while it is at work its state (docs/formats/scan.md). The state is read as hostile
// bytes.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "collect/scan/pending.h"
#include "collect/scan/places.h"
#include "collect/scan/scan.h"
#include "collect/scan/tally.h"
#include "format/reader.h"

namespace headrace::collect {

/// A directory in the middle of which a state was taken.
struct OpenDirectory {
  uint32_t root = 0;
  std::string path;  // below it
  int64_t cookie = 0;
  int64_t entries = 0, files = 0;  // counted before
  int64_t unseen = 0;              // of these entries, those that could not be looked at
  int unseen_error = 0;            // why: errno of the last one
  uint64_t device = 0, inode = 0;  // what it is
};

/// A root, or the root of a file system (or a file that is one) below it that was entered. Known by its numbers.
struct Mount {
  uint64_t device = 0, inode = 0;
  uint32_t root = 0;
  std::string path;  // below it; "": the root itself
  bool operator<(const Mount& other) const { return std::pair(device, inode) < std::pair(other.device, other.inode); }
};

struct Problem {
  std::string path, reason;
};
inline constexpr size_t kListedProblems = 100'000;

struct ScanState {
  ScanSettings settings;
  int64_t start_utc_ns = 0, end_utc_ns = 0;
  std::string host;
  Sums sums;
  std::vector<Problem> problems;
  int64_t unlisted_problems = 0;
  uint64_t link_bytes = 0, row_bytes = 0, rows = 0;
  std::vector<OpenDirectory> open;
  std::vector<Mount> mounts;
  bool done = false;

  /// "yes", or "no: " and the reason.
  std::string complete() const;
};

/// Replaces the file at `path` at once. `pending`: null for the result. kIo, kNoSpace: the old one is still there.
base::Status write_state(const std::string& path, const ScanState& state, const Pending* pending);

/// Reads a state and puts the directories that wait into `pending`. kNotFound: there is no such file. kCorrupt,
/// kForeign: it is none, or a part of it is damaged, so that the scan cannot go on.
base::Result<ScanState> read_state(const std::string& path, Pending& pending);
/// The same of a file that is open; `label` stands for it in messages.
base::Result<ScanState> read_state(const std::string& label, format::Reader reader, Pending& pending);

/// Whether a file that is there may be replaced by a scan: only by one.
base::Status check_output(const std::string& path);

}  // namespace headrace::collect
