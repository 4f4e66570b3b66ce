#pragma once
// Files with several links, each to be counted once however many there are: their names are noted in a file while the
// walk goes on, which is sorted in the end, so that memory is bounded.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/scan/directory.h"
#include "collect/scan/tally.h"

namespace headrace::collect {

/// Inodes that were met by one of several names. Any number of threads may append; the rest is for one.
class LinkFile {
 public:
  /// Creates or opens it, cuts it to `length` bytes, and keeps others from it. kInvalid: another scan has it.
  /// kTruncated: it is shorter than that. kIo.
  static base::Result<LinkFile> open(const std::string& path, uint64_t length);

  base::Status append(const std::vector<Inode>& inodes);
  uint64_t bytes() const { return bytes_; }
  base::Status sync();

  /// Each inode once, in order, with the number of names that were met. `memory`: how many are sorted at a time.
  base::Status each(const std::function<void(const Inode&, int64_t names)>& take, size_t memory = 1U << 17) const;

 private:
  LinkFile(Descriptor file, std::string path, uint64_t bytes)
      : file_(std::move(file)), path_(std::move(path)), bytes_(bytes) {}
  base::Status sort_into(int runs, size_t memory) const;

  Descriptor file_;
  std::string path_;
  uint64_t bytes_;  // those behind are of an append that failed
};

}  // namespace headrace::collect
