// Who has which files open. As long as anybody has, a file stays open here, so that it is found when it was renamed or
// removed. Somebody is a client and an owner, 128 bits that an open file has in all processes that share it.
//
// A client that is gone, or that left a file which its children may have, leaves a doubt: nobody may come, or a process
// that has the file by inheritance. Thread-safe.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "forward/backend/backend.h"
#include "forward/protocol/messages.h"

namespace headrace::forward {

class Opens {
 public:
  explicit Opens(Backend& backend);

  /// A file that cannot be kept open is known all the same.
  void open(const File& file, bool writes, const Nonce& owner, const Nonce& client);
  /// Gives what was open of a file that nobody has any more.
  std::shared_ptr<OpenFile> close(const File& file, const Nonce& owner, const Nonce& client, bool may_be_shared);
  /// Whoever opens the file tells so, here or at the servers that are asked for its bytes.
  void expect(const File& file);
  /// Whether it was open by what is told here, and nobody has it any more, or may have it.
  bool is_unused(const File& file);
  /// Whether anybody is known to have it.
  bool has(const File& file);

  /// A connection of the client begins or ends.
  void arrived(const Nonce& client);
  void gone(const Nonce& client);

 private:
  struct Known {
    std::shared_ptr<OpenFile> reads, writes;
    std::set<std::pair<Nonce, Nonce>> owners;  // with their clients
  };
  struct Client {
    unsigned connections = 0;
    std::set<std::pair<uint64_t, Nonce>> files;  // by identity, and the owner
  };
  std::shared_ptr<OpenFile> leave(uint64_t identity, const Nonce& owner, const Nonce& client);
  void doubt(uint64_t identity, const Nonce& owner);
  void expect_locked(uint64_t identity);

  Backend& backend_;
  const size_t most_;  // kept open; connections need descriptors, too
  std::mutex mutex_;
  std::unordered_map<uint64_t, Known> files_;
  std::map<Nonce, Client> clients_;
  std::set<std::pair<uint64_t, Nonce>> doubts_;
  std::unordered_set<uint64_t> expected_;  // files of which is known who has them
};

}  // namespace headrace::forward
