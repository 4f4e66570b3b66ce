// Path names as records know them: absolute, without "//", "/./" and "/../", found by a 64-bit hash.
#pragma once
#include <cstdint>

namespace headrace::capture {

/// A name in memory that is valid until the next use of the scratch buffer it lies in.
struct PathName {
  const char* text;
  uint32_t length;
  uint64_t hash;  // never 0
};

/// Hash of a name (not stable between versions: spools live on one machine).
uint64_t hash_name(const char* text, uint32_t length);

/// The absolute form of `path` as seen from descriptor `directory` (AT_FDCWD: the working directory), in scratch buffer
/// `buffer` (0 or 1) of this thread where it differs from `path`. Symbolic links are not followed. Inside a section.
PathName absolute_name(int directory, const char* path, uint32_t buffer);

/// The program changed its working directory.
void forget_working_directory();
/// The working directory; length 0 when it cannot be had.
PathName working_directory();

}  // namespace headrace::capture
