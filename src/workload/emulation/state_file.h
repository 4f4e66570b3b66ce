// The file that a job's processes on one node map as their State.
#pragma once
#include <sys/types.h>

#include <string>

#include "workload/emulation/state.h"

namespace headrace::workload::emulation {

/// Variables that tell libheadrace-emulate.so what to do: handed_on() of the constants; below which directory files are
/// slow, links resolved, and how people write that directory; where the state is.
inline constexpr char kConstantsVariable[] = "HEADRACE_EMULATE";
inline constexpr char kDirectoryVariable[] = "HEADRACE_EMULATE_DIR";
inline constexpr char kAliasVariable[] = "HEADRACE_EMULATE_ALIAS";
inline constexpr char kStateVariable[] = "HEADRACE_EMULATE_STATE";
/// The file of hints that the profile gives ROMIO; may be missing.
inline constexpr char kHintsVariable[] = "HEADRACE_EMULATE_HINTS";
/// "1": whoever knows that all have mapped the state removes its file, so that none is left even if all are killed.
inline constexpr char kBriefVariable[] = "HEADRACE_EMULATE_BRIEF";

/// How the file's steps are made; inside of other people's processes not by the functions that are interposed there.
struct FileCalls {
  int (*open)(const char*, int, ...);
  int (*fallocate)(int, off_t, off_t);  // posix_fallocate
  int (*close)(int);
  void* (*mmap)(void*, size_t, int, int, int, off_t);
  int (*unlink)(const char*);
};

/// Maps the file, and makes it where it is not there yet; null with errno when there is no room, or when it is
/// somebody else's. The caller is a member from then on.
State* join_state(const char* path, const FileCalls& calls);
/// Whether another process has it that is still there.
bool has_others(const State& state);
/// {"creates": 12, …}, by the names of kCountedNames.
std::string counts_json(const State& state);
/// No member any more; with no other one left the file goes too.
void leave_state(State& state, const char* path, const FileCalls& calls);

}  // namespace headrace::workload::emulation
