// A working directory that the kernel does not know, and still hands on to whatever a process forks or executes.
//
// The kernel is in a directory that was removed while the process was in it: the rest of its path, as
// /proc/self/cwd tells it, is the path that is meant. Nothing is left behind, and a name that is looked up there past
// the wrappers is not found. Async-signal-safe.
#pragma once
#include <fcntl.h>
#include <string.h>

#include "base/kernel.h"

namespace headrace::base {

/// Where such directories are made, and how they are called: the first that can be used.
inline constexpr const char* kCarriers[] = {"/dev/shm/.headrace-cwd-", "/tmp/.headrace-cwd-"};

/// Puts the path that is meant into `into`, which should have PATH_MAX bytes, and gives its length; 0 when the working
/// directory is one as others.
inline size_t carried_directory(char* into, size_t room) {
  constexpr char kRemoved[] = " (deleted)";
  constexpr size_t kSuffix = sizeof kRemoved - 1;
  const long got = kernel_call(SYS_readlinkat, AT_FDCWD, "/proc/self/cwd", into, room - 1);
  if (got <= static_cast<long>(kSuffix)) return 0;
  const auto length = static_cast<size_t>(got) - kSuffix;
  if (memcmp(into + length, kRemoved, kSuffix) != 0) return 0;
  into[length] = '\0';
  for (const char* carrier : kCarriers) {
    if (strncmp(into, carrier, strlen(carrier)) != 0) continue;
    const char* path = strchr(into + strlen(carrier), '/');
    if (path == nullptr) return 0;
    const size_t size = length - static_cast<size_t>(path - into);
    memmove(into, path, size + 1);
    return size;
  }
  return 0;
}

}  // namespace headrace::base
