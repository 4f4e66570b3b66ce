// What the operations of a mount share: the files that the kernel knows, the servers, and how one is asked for the
// other. docs/forward.md says what programs may rely on. Safe in any thread.
#pragma once
#include <errno.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "forward/mount/items.h"
#include "forward/mount/lost.h"
#include "forward/mount/upstream.h"

struct stat;

namespace headrace::forward::mount {

class LockWaiter;

/// What the kernel knows as one open(2).
struct Opened {
  ItemRef item;
  bool may_write = false;
  uint64_t losses = 0;                     // of the item, that it was told of
  Nonce owner = random_secret();           // what servers know it by
  std::atomic<bool> locked_whole = false;  // as by flock()
  std::atomic<uint64_t> locked_at = 0;     // number of the connection that it has a lock by; 0 = none
  Nonce whole_owner{};                     // of that lock
  std::set<Nonce> lockers;                 // owners that locked ranges by it; the item's mutex is held
};

inline int error_of(int error) { return error; }
template <typename T>
int error_of(const Outcome<T>& outcome) {
  return outcome.error();
}

class Mount {
 public:
  Mount(Upstream& servers, std::string mountpoint);
  ~Mount();

  Upstream& servers() { return servers_; }
  Client& client() { return servers_.client(); }
  Items& items() { return items_; }
  LockWaiter& locks() { return *locks_; }

  /// Does `act(handle)`, and again with a new handle when the file was renamed since. Gives error numbers for programs.
  template <typename Act>
  auto on(Item& item, Act act) -> decltype(act(std::declval<const Handle&>())) {
    using Result = decltype(act(std::declval<const Handle&>()));
    const auto failed = [](int error) {
      if constexpr (std::is_same_v<Result, int>)
        return error;
      else
        return Result(Failed{error});
    };
    if (!servers_.answers()) return failed(EIO);
    Result result = act(*items_.handle(item));
    if (error_of(result) == ESTALE && refresh(item)) result = act(*items_.handle(item));
    const int error = servers_.error(error_of(result));
    return error == error_of(result) ? std::move(result) : failed(error);
  }

  Outcome<Attributes> attributes(Item& item);
  /// As stat() shows them here.
  void fill(Item& item, const Attributes& attributes, struct stat* into);

  /// Brings what was written to the file. Tells every open file of what is lost, once.
  int commit(Item& item, Opened* opened, uint32_t flags);
  /// What an open file was not told of yet: an error number or 0.
  int untold(Opened& opened);
  /// Nobody has it open any more, and what was written is not known to be stored: commit_all() asks for it, also when
  /// the kernel has forgotten the file by then.
  void ask_later(const ItemRef& item);
  /// Brings all to the files, since nobody will commit them any more. Lines about those of which nothing is known, as
  /// their servers do not answer; what is lost for sure is in lost().
  std::vector<std::string> commit_all();
  /// A close() fails, or nobody asks at all: tells of what the item lost, unless that was told so before.
  void tell_of_loss(Item& item);
  const Lost& lost() const { return lost_; }

  /// A symbolic link's target, as it is named here and as servers name it.
  std::string target_here(std::string target) const;
  std::string target_there(std::string target) const;

 private:
  bool refresh(Item& item);
  std::string name_of(const Item& item) const;

  Upstream& servers_;
  const std::string mountpoint_;
  Items items_;
  Lost lost_;
  std::mutex mutex_;
  std::map<ItemRef, std::string> unsettled_;  // of ask_later(), and their names; needs mutex_
  std::unique_ptr<LockWaiter> locks_;
};

}  // namespace headrace::forward::mount
