// What programs had written through a mount and could not be stored, where no program can be counted on to know: the
// close() of a program that ends is the kernel's own, and many look at none.
//
// Told when it happens, and again to who takes the mount away. Safe in any thread.
#pragma once
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "forward/protocol/messages.h"

namespace headrace::forward::mount {

/// "f: 12 bytes from 0 are not stored: No space left on device". No ranges: it is not known which.
std::string lost_in_words(const std::string& path, int error, std::span<const BadRange> bad);

class Lost {
 public:
  /// One file's, in a line.
  void add(std::string line);
  bool any() const;
  /// Whole lines of at most `most` bytes in all, these and then `more`; the last one says how many are left out.
  std::string lines(std::span<const std::string> more, size_t most) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  size_t left_out_ = 0;  // of a disk that stays full there may be any number
};

}  // namespace headrace::forward::mount
