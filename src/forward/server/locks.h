// Locks of files: ranges that fcntl() locks, and whole files that flock() does, which know nothing of each other.
//
// A lock has an owner, 128 bits that clients choose: a process, or an open file that several processes share. It ends
// when it is given back, or when no client is left that the owner belongs to. Nothing waits here: clients ask again.
// Thread-safe.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "forward/protocol/handle.h"
#include "forward/protocol/messages.h"

namespace headrace::forward {

class Locks {
 public:
  struct Wanted {
    Nonce owner{};
    Nonce client{};  // who asks
    Nonce opener{};  // another client that the owner belongs to, if it is still there; zeros = none
    uint64_t process = 0;
    bool exclusive = false, whole = false;  // flock()
    Extent range;                           // length 0 = to the end
  };
  struct Conflict {
    Extent range;
    uint64_t process;
    bool exclusive;
  };
  static constexpr size_t kMost = 1 << 20;

  /// Replaces what the owner has of the range. Nothing: it has it. A `test` only looks. `full` is set when there are
  /// too many locks.
  std::optional<Conflict> take(const File& file, const Wanted& wanted, bool test, bool* full);
  void give(const File& file, const Wanted& wanted);
  /// The owner does not belong to this client any more.
  void leave(const Nonce& owner, const Nonce& client);

  /// A connection of the client begins or ends.
  void arrived(const Nonce& client);
  void gone(const Nonce& client);
  size_t count() const;

 private:
  using Key = std::tuple<uint16_t, uint64_t, int64_t, bool>;  // of a file: root, inode, birth; and whether `whole`
  struct Lock {
    Nonce owner;
    uint64_t begin, end, process;
    bool exclusive;
  };
  struct Owner {
    std::set<Nonce> clients;
    std::set<Key> files;
  };
  struct Client {
    unsigned connections = 0;
    std::set<Nonce> owners;
  };
  void remove(std::vector<Lock>* locks, const Nonce& owner, uint64_t begin, uint64_t end);
  void forget_file(const Key& key, const Nonce& owner);
  void leave_locked(const Nonce& owner, const Nonce& client);

  mutable std::mutex mutex_;
  std::map<Key, std::vector<Lock>> files_;
  std::map<Nonce, Owner> owners_;
  std::map<Nonce, Client> clients_;  // those that are there
  size_t count_ = 0;
};

}  // namespace headrace::forward
