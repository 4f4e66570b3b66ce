// Handles: which file is meant, in bytes that clients keep and show to any server of the job.
//
// A handle holds everything a server needs, so servers keep no state for it: the number of a root, the file's inode
// number and time of birth, and its path below the root when it was looked up; then a code that only who knows the
// job's secret can make. A server opens the path and compares the inode: another file there means ESTALE.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/siphash.h"
#include "forward/protocol/messages.h"
#include "forward/protocol/outcome.h"

namespace headrace::forward {

/// Where root, inode and time of birth are in a handle: the same bytes in every handle of a file.
inline constexpr size_t kHandleIdentityAt = 2, kHandleIdentityBytes = 18;

inline constexpr size_t kHandleTypeAt = 1;
inline bool is_regular_file(base::Bytes handle) {
  return handle.size() > kHandleTypeAt && handle[kHandleTypeAt] == 8;  // DT_REG
}

struct File {
  uint16_t root = 0;
  uint8_t type = 0;  // as DT_REG of dirent.h
  uint64_t inode = 0;
  int64_t born = 0;  // nanoseconds since 1970, 0 where the file system does not know
  std::string path;  // below the root, "" is the root itself; never begins or ends with a slash

  /// The same for every handle of a file, whatever path it was reached by.
  uint64_t identity() const;
};

class HandleMaker {
 public:
  explicit HandleMaker(const base::SipKey& key) : key_(key) {}
  std::vector<uint8_t> make(const File& file) const;
  /// ESTALE: it was not made with this key, or not by this version.
  Outcome<File> open(base::Bytes handle) const;

 private:
  base::SipKey key_;
};

}  // namespace headrace::forward
