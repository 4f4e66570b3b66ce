#pragma once
// Directories by descriptor: paths of any length, no symbolic link followed on the way.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "collect/scan/tally.h"

namespace headrace::collect {

/// A descriptor that closes itself; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release();

 private:
  int number_;
};

/// The directory `name` in `parent`, without a change of its access time where that is allowed. Fails with errno.
Descriptor open_directory(int parent, const char* name);
/// The same by a path below `root` of any length; "" is the root itself, of which it is a copy.
Descriptor open_below(int root, std::string_view path);

struct Entry {
  const char* name;
  uint8_t type;    // DT_…; DT_UNKNOWN where the file system does not say
  int64_t cookie;  // where the directory goes on behind it
};

/// Reads the entries of a directory by large calls of getdents64.
class DirectoryReader {
 public:
  static constexpr size_t kBuffer = 128U << 10;
  DirectoryReader() : buffer_(kBuffer) {}
  /// The next entries, without . and ..; they are valid until the next call. False: there are none, or errno says why.
  bool read(int directory, std::vector<Entry>& entries);

 private:
  std::vector<char> buffer_;
};

/// Since 1970; before it the seconds are negative.
struct FileTime {
  int64_t seconds = 0;
  uint32_t nanoseconds = 0;
};

/// Looks at an entry, or at the directory itself when `name` is "". Ages are relative to `start`. Fails with errno.
bool look_at(int directory, const char* name, const FileTime& start, Inode& inode, bool* is_mount = nullptr);

/// Seconds from a time to the start, rounded down, and capped to what 64 bits hold.
int64_t age_at(const FileTime& start, const FileTime& time);

}  // namespace headrace::collect
