// Which files are to be slow: those below HEADRACE_EMULATE_DIR. Any thread, also in signal handlers; errno stays.
#pragma once
#include <cstdint>

namespace headrace::emulate {

struct File {
  bool slow = false;
  uint64_t id = 0;  // the same for all who have it open
};

/// A regular file, which other kinds never are.
File file_of(int fd);

/// Where a name is. Links in it are not resolved, other than in the beginning that HEADRACE_EMULATE_DIR stands for.
struct Place {
  bool slow = false;
  uint64_t directory = 0;  // a number for the directory that the name is in
};
Place place_of(int directory, const char* path);
/// Of an open file or directory.
Place place_of(int fd);

}  // namespace headrace::emulate
