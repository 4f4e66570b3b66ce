// Which files a client has written and not committed yet, and which start of the server took the data.
//
// A server that is killed takes along what it held. A client that wrote to it must not be told by the next one, which
// knows nothing of that, that all is stored. Safe in any thread.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "forward/protocol/handle.h"

namespace headrace::forward {

class Uncommitted {
 public:
  void wrote(const std::vector<uint8_t>& file, uint64_t instance) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [found, is_new] = files_.try_emplace(identity_of(file), Entry{instance, false});
    if (found->second.instance != instance) found->second.lost = true;
  }
  /// Whether something that was written may be gone with an earlier start than `instance`, which has just committed.
  /// `whole`: all of the file was, so that nothing is left to be asked for.
  bool was_lost(const std::vector<uint8_t>& file, uint64_t instance, bool whole) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(identity_of(file));
    if (found == files_.end()) return false;
    const bool lost = found->second.lost || found->second.instance != instance;
    if (whole) files_.erase(found);
    return lost;
  }

 private:
  struct Entry {
    uint64_t instance;
    bool lost;
  };
  static std::string identity_of(const std::vector<uint8_t>& file) {
    const auto text = base::as_text(base::Bytes(file));
    return std::string(text.substr(std::min(text.size(), kHandleIdentityAt), kHandleIdentityBytes));
  }
  std::mutex mutex_;
  std::map<std::string, Entry> files_;
};

}  // namespace headrace::forward
