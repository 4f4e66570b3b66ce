#pragma once
// The directories that were found and not begun, the last found first: so there are few of them, and memory is bounded
// however many there are, since the oldest go to a file that has no name. The newest know the descriptor of the
// directory they lie in, so that a deep tree is not walked through from its root again at each level.
//
// One thread at a time.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "collect/scan/directory.h"

namespace headrace::collect {

/// Subdirectories that were found in one directory, or some of them.
struct PendingGroup {
  uint64_t number = 0;                          // tells groups apart
  uint32_t root = 0;                            // number of the root
  std::string parent;                           // path below it; "" is the root
  std::string names;                            // each followed by a NUL byte; one empty name: `parent` itself
  std::shared_ptr<const Descriptor> directory;  // of `parent`; null: it is to be opened by its path
};

struct PendingDirectory {
  std::shared_ptr<const PendingGroup> group;  // `names` and `directory` are not to be read: others change them
  std::string name;
  std::shared_ptr<const Descriptor> directory;
};

class Pending {
 public:
  static constexpr size_t kDescriptors = 16;  // that are kept open
  /// `place`: a directory for the file; `limit`: bytes of memory before it is used.
  explicit Pending(std::string place, uint64_t limit = 16U << 20);
  ~Pending();
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// kNoSpace, kIo: the file cannot be written.
  base::Status push(uint32_t root, std::string parent, std::string names,
                    std::shared_ptr<const Descriptor> directory = nullptr);
  bool empty() const { return groups_.empty() && blocks_.empty(); }
  /// Not when empty.
  base::Result<PendingDirectory> pop();
  /// All, the oldest first.
  base::Status each(const std::function<base::Status(const PendingGroup&)>& take) const;

 private:
  struct Block {
    uint64_t offset, length;
  };
  base::Status spill();
  base::Status load();
  base::Status read(const Block& block, std::vector<PendingGroup>& groups) const;

  std::string place_;
  uint64_t limit_, bytes_ = 0, next_ = 1, end_ = 0;
  int file_ = -1;
  std::vector<Block> blocks_;                         // in the file, the oldest first
  std::deque<std::shared_ptr<PendingGroup>> groups_;  // newer than those
};

}  // namespace headrace::collect
