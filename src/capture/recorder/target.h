// What is told of a program before it is started: whether it can take the preloaded library, and what it is for.
#pragma once
#include "capture/recorder/sanitizer_runtime.h"

namespace headrace::capture {

struct Target {
  /// Null when the library can be preloaded into it; otherwise why not, in a word that notes and logs use: "static",
  /// "loader", "musl", "other-class", "setuid", or "other-root", "other-user", "no-records", "library-removed" and
  /// "limits" where any program would fare so.
  const char* unfit = nullptr;
  /// What must be preloaded before the library; "" = nothing.
  char runtime[kRuntimeName] = "";
};
/// Of `path` (relative to `directory`). Follows "#!" lines. Unreadable files count as fit.
/// Async-signal-safe; usable in a vfork child.
Target target_at(int directory, const char* path);

/// Whether this program, by its name, starts ranks of parallel programs on other nodes.
bool starts_ranks(const char* executable);

/// Finds `file` as execvp does with PATH; the result lies in this thread's scratch memory, or is `file` itself.
const char* find_in_path(const char* file);

}  // namespace headrace::capture
