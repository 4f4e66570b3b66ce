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
/// `buffer` (0 or 1) of this thread where it differs from `path`. Symbolic links are not followed. Of a name longer
/// than PATH_MAX, which only relative names lead to, "/..." takes the place of directories in the middle. Inside a
/// section.
PathName absolute_name(int directory, const char* path, uint32_t buffer);

/// The working directory is another one, or is called otherwise.
void forget_working_directory();
/// The program changed it to `path`, as seen from where it was; the kernel may not be able to say where that is.
void changed_working_directory(const char* path);
/// To the directory of a descriptor.
void changed_working_directory(int fd);
/// The working directory; length 0 when it cannot be had.
PathName working_directory();

}  // namespace headrace::capture
