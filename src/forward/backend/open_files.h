// Files that a server keeps open because somebody used them lately.
//
// A request opens its file by handle; without this every one would cost an open. Those least lately used are closed
// when there are too many; a file in use stays open as long as it is used.
#pragma once
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "forward/backend/backend.h"

namespace headrace::forward {

class OpenFiles {
 public:
  explicit OpenFiles(size_t most) : most_(most) {}

  /// Null when it is not open, or not for writing though that is asked for.
  std::shared_ptr<OpenFile> find(const File& file, bool for_writing);
  void keep(const File& file, bool for_writing, std::shared_ptr<OpenFile> opened);

 private:
  struct Key {
    uint64_t identity;
    bool for_writing;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const { return key.identity * 2 + key.for_writing; }
  };
  using Order = std::list<std::pair<Key, std::shared_ptr<OpenFile>>>;  // the last used first

  const size_t most_;
  std::mutex mutex_;
  Order order_;
  std::unordered_map<Key, Order::iterator, Hash> index_;
};

}  // namespace headrace::forward
