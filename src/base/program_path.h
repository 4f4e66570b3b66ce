// The file that this process executes, as programs name it.
//
// A program that is forwarded is executed from a copy in memory, which has the program's path as its name: the kernel
// shows it as "/memfd:/path/of/it (deleted)". Async-signal-safe.
#pragma once
#include <fcntl.h>
#include <string.h>

#include "base/kernel.h"

namespace headrace::base {

/// Of what `/proc/…/exe` tells, in place; its length. Other texts stay as they are.
inline size_t name_of_program(char* text, size_t length) {
  constexpr char kCopy[] = "/memfd:/", kRemoved[] = " (deleted)";
  constexpr size_t kBefore = sizeof kCopy - 2, kBehind = sizeof kRemoved - 1;
  if (length <= kBefore + kBehind || memcmp(text, kCopy, sizeof kCopy - 1) != 0) return length;
  if (memcmp(text + length - kBehind, kRemoved, kBehind) != 0) return length;
  length -= kBefore + kBehind;
  memmove(text, text + kBefore, length);
  return length;
}

/// Of this process, without a zero behind it; 0 when it is not known. `is_copy`: whether it is in memory.
inline size_t program_path(char* into, size_t room, bool* is_copy = nullptr) {
  const long got = kernel_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", into, room);
  const size_t length = got > 0 ? name_of_program(into, static_cast<size_t>(got)) : 0;
  if (is_copy != nullptr) *is_copy = got > 0 && length < static_cast<size_t>(got);
  return length;
}

}  // namespace headrace::base
