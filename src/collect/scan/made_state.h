#pragma once
// A state with something of everything. Tests and fuzzing only.

#include <string>

#include "collect/scan/state.h"

namespace headrace::collect {

inline ScanState made_state() {
  ScanState state;
  state.settings.roots = {"/a", "/b"};
  state.settings.file_system = "scratch";
  state.settings.rules = {{"p", "", "", "/a/x"}, {"q", "ann", "", ""}};
  state.settings.cross_mounts = true;
  state.start_utc_ns = 1'700'000'000'000'000'000;
  state.end_utc_ns = state.start_utc_ns + 5;
  state.host = "node";
  Counts counts;
  Inode file;
  file.size = 5000;
  file.capacity = 8192;
  file.ages = {-5, 100, 1 << 30};
  file.owner = {7, 8, 1};
  counts.add_inode(file);
  file.type = FileType::kDirectory;
  counts.add_inode(file);
  counts.add_directory(file, 3, 1);
  counts.add_name(file.owner, 12);
  counts.totals().vanished = 2;
  counts.move_to(state.sums);
  state.problems = {{"/a/\xff\n", "Permission denied"}};
  state.unlisted_problems = 3;
  state.link_bytes = 160;
  state.mounts = {{1, 2, 0, ""}, {UINT64_MAX, 3, 0, "mnt/x"}};
  state.open = {{1, "deep/er", -77, 40, 30, 2, 13}, {0, "", 5, 1, 1}};
  return state;
}

/// What waits in it.
inline base::Status fill(Pending& pending) {
  HEADRACE_TRY(pending.push(0, "", std::string(1, '\0')));
  HEADRACE_TRY(pending.push(0, "x/y", std::string("one\0two\0", 8)));
  return pending.push(1, "", std::string("top\0", 4));
}

}  // namespace headrace::collect
