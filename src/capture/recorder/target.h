// Whether a program can take the preloaded library, told from its file before it is started.
#pragma once

namespace headrace::capture {

/// Null when the library can be preloaded into `path` (relative to `directory`); otherwise why not, in a word that
/// notes and logs use: "static", "musl", "other-class", "setuid". Follows "#!" lines. Unreadable files count as fit.
/// Async-signal-safe; usable in a vfork child.
const char* unfit_reason(int directory, const char* path);

/// Finds `file` as execvp does with PATH; the result lies in this thread's scratch memory, or is `file` itself.
const char* find_in_path(const char* file);

}  // namespace headrace::capture
