// Which files a client has written and not committed yet, and which start of the server took the data.
//
// A server that is killed takes along what it held. A client that wrote to it must not be told by the next one, which
// knows nothing of that, that all is stored. Files are told apart by a hash of what is the same in all their handles.
// Safe in any thread.
#pragma once
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "forward/protocol/placement.h"

namespace headrace::forward {

class Uncommitted {
 public:
  void wrote(uint64_t file, uint64_t instance) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [found, is_new] = files_.try_emplace(file, Entry{instance, false, 0});
    if (found->second.instance != instance) found->second.lost = true;
    found->second.last = ++answered_;
  }
  /// That start has ended, after it brought all that it took to the files.
  void brought(uint64_t instance) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(files_, [&](const auto& each) { return !each.second.lost && each.second.instance == instance; });
  }
  /// Writes that were answered until now.
  uint64_t answered() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return answered_;
  }
  bool has(uint64_t file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return files_.contains(file);
  }
  /// Whether something that was written may be gone with an earlier start than `instance`, which has just committed.
  /// `whole`: all of the file was, so that nothing is left to be asked for but what was answered after `before` writes,
  /// when the commit was sent.
  bool was_lost(uint64_t file, uint64_t instance, bool whole, uint64_t before) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(file);
    if (found == files_.end()) return false;
    const bool lost = found->second.lost || found->second.instance != instance;
    if (whole && found->second.last <= before)
      files_.erase(found);
    else if (whole)
      found->second = {instance, false, found->second.last};
    return lost;
  }

 private:
  struct Entry {
    uint64_t instance;
    bool lost;
    uint64_t last;  // write to it, by the number of its answer
  };
  std::mutex mutex_;
  uint64_t answered_ = 0;
  std::unordered_map<uint64_t, Entry> files_;
};

}  // namespace headrace::forward
