// Reads of the same bytes by many clients at the same time, which are done once.
//
// A read that is like one that is under way waits for that one's bytes, unless something was written to the file since
// that began: what a read gives is never older than its own beginning. Where other servers may write to the file, only
// what has not begun is joined. When it fails the others are done apart, by their own handles. Each read has found its
// own memory before it comes here. Safe in any thread.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "forward/protocol/handle.h"
#include "forward/server/call.h"
#include "forward/server/execute.h"
#include "forward/server/pool.h"

namespace headrace::forward {

class SharedReads {
 public:
  using Done = std::function<void(Answer)>;
  /// `sees_all`: whatever is written to the files is written through this server.
  explicit SharedReads(bool sees_all) : sees_all_(sees_all) {}

  /// Takes a read of one extent, whose answer `done` gets in a thread of the pool. False: it is another kind of call.
  bool add(const Services& services, Pool& pool, std::shared_ptr<Call> call, Done done);
  /// Has to be called before a change of a file is answered; a handle that is none means any file.
  void changed(base::Bytes handle);

 private:
  using FileKey = std::array<uint8_t, kHandleIdentityBytes>;
  using Key = std::tuple<FileKey, uint64_t, uint64_t>;  // offset and length
  struct Waiting {
    std::shared_ptr<Call> call;
    Done done;
  };
  using Group = std::vector<Waiting>;

  static FileKey key_of(base::Bytes handle);
  void work(const Services& services, Pool& pool, const Key& key, const std::shared_ptr<Group>& group);
  void read_apart(const Services& services, Pool& pool, const std::shared_ptr<Group>& group, int error, uint64_t begun);
  void forget(const Key& key, const std::shared_ptr<Group>& group);  // needs the lock
  bool refuse_late(const Services& services, Group& group);

  const bool sees_all_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Group>> joinable_;
};

}  // namespace headrace::forward
