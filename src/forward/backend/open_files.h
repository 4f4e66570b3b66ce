// Files that a server keeps open because somebody used them lately.
//
// A request opens its file by handle; without this every one would cost an open. Those least lately used are closed
// when there are too many; a file in use stays open, and is found here, as long as anybody holds it.
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
  /// Not kept from here on.
  void forget(const File& file);
  /// The same for all that have no name any more and that nobody else holds; whether there were any.
  bool forget_removed();

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
  std::shared_ptr<OpenFile> find_held(const Key& key);
  std::shared_ptr<OpenFile> add(const Key& key, std::shared_ptr<OpenFile> opened);

  const size_t most_;
  std::mutex mutex_;
  Order order_;
  std::unordered_map<Key, Order::iterator, Hash> index_;
  std::unordered_map<Key, std::weak_ptr<OpenFile>, Hash> held_;  // those that were too many and are used still
  size_t most_held_ = 64;                                        // then it is looked for those that are not
};

}  // namespace headrace::forward
