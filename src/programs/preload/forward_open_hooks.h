// Opening of forwarded paths, as descriptors and as streams.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "programs/preload/forwarding.h"

namespace headrace::preload {

#define BY_PATH(ret, call)                            \
  if (forwards()) {                                   \
    ret result;                                       \
    if (forwarding->call) return result;              \
    path = forwarding->elsewhere(directory, path, 0); \
  }
#define BY_PATTERN(call)                 \
  if (forwards()) {                      \
    int result;                          \
    if (forwarding->call) return result; \
  }
template <class Next>
struct ForwardOpens : Next {
  // Of calls that have no parameter of this name.
  static constexpr int directory = AT_FDCWD;

  static int open(const char* path, int flags, mode_t mode) {
    if (forwards()) {
      int result;
      if (forwarding->open(AT_FDCWD, path, flags, mode, &result)) return changed(result);
      path = forwarding->elsewhere(AT_FDCWD, path, 0);
    }
    return Next::open(path, flags, mode);
  }
  static int openat(int directory, const char* path, int flags, mode_t mode) {
    BY_PATH(int, open(directory, path, flags, mode, &result))
    return Next::openat(directory, path, flags, mode);
  }
  static int __open_2(const char* path, int flags) {
    BY_PATH(int, open(AT_FDCWD, path, flags, 0, &result))
    return Next::__open_2(path, flags);
  }
  static int __openat_2(int directory, const char* path, int flags) {
    BY_PATH(int, open(directory, path, flags, 0, &result))
    return Next::__openat_2(directory, path, flags);
  }
  static int creat(const char* path, mode_t mode) {
    BY_PATH(int, open(AT_FDCWD, path, O_CREAT | O_TRUNC | O_WRONLY, mode, &result))
    return Next::creat(path, mode);
  }

  static int mkstemp(char* pattern) {
    BY_PATTERN(temporary(pattern, 0, 0, &result))
    return Next::mkstemp(pattern);
  }
  static int mkostemp(char* pattern, int flags) {
    BY_PATTERN(temporary(pattern, 0, flags, &result))
    return Next::mkostemp(pattern, flags);
  }
  static int mkstemps(char* pattern, int suffix) {
    BY_PATTERN(temporary(pattern, suffix, 0, &result))
    return Next::mkstemps(pattern, suffix);
  }
  static int mkostemps(char* pattern, int suffix, int flags) {
    BY_PATTERN(temporary(pattern, suffix, flags, &result))
    return Next::mkostemps(pattern, suffix, flags);
  }
  static char* mkdtemp(char* pattern) {
    int result;
    if (forwards() && forwarding->temporary(pattern, 0, -1, &result)) return result < 0 ? nullptr : pattern;
    return Next::mkdtemp(pattern);
  }

  // ---- streams
  static FILE* fopen(const char* path, const char* mode) {
    BY_PATH(FILE*, fopen(path, mode, &result))
    return Next::fopen(path, mode);
  }
  static FILE* fdopen(int fd, const char* mode) {
    if (is_forwarded(fd)) return forwarding->stream(fd, mode);
    return Next::fdopen(fd, mode);
  }
  static int fclose(FILE* stream) {
    if (!forwards()) return Next::fclose(stream);
    FILE* const meant = current_stream(stream);
    forget_stream(meant);
    const int result = Next::fclose(meant);
    for (int fd = 0; fd < 3; ++fd) standard_descriptor_changed(fd);
    return result;
  }
  /// A stream of the C library cannot become one of another kind, but the standard ones can be put in place of each
  /// other.
  static FILE* freopen(const char* path, const char* mode, FILE* stream) {
    if (!forwards()) return Next::freopen(path, mode, stream);
    const int fd = fileno_unlocked(stream);
    if (!is_forwarded(fd) && (!path || !forwarding->is_forwarded(AT_FDCWD, path)))
      return Next::freopen(path, mode, stream);
    FILE* made = nullptr;
    if (fd > 2 && forwarding->freopen(path, mode, stream, &made)) return made;
    if (!path || fd < 0 || fd > 2) return errno = ENOTSUP, nullptr;
    made = fopen(path, mode);
    if (!made) return nullptr;
    Next::fflush(stream);
    const bool placed = Next::dup2(fileno_unlocked(made), fd) == fd;
    fclose(made);
    return placed ? stream : nullptr;
  }

 private:
  static bool is_forwarded(int fd) { return preload::is_forwarded(fd); }
};
#undef BY_PATH
#undef BY_PATTERN

}  // namespace headrace::preload
