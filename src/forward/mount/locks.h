// Locks that programs on a mount wait for.
//
// Servers do not keep who waits, so the mount asks again after pauses that grow. One thread does it for all, so that
// those who wait do not keep the threads busy that would give locks back.
#pragma once
#include <condition_variable>
#include <list>
#include <thread>

#include "forward/mount/mount.h"

struct fuse_req;

namespace headrace::forward::mount {

class LockWaiter {
 public:
  explicit LockWaiter(Mount& mount);
  ~LockWaiter() { stop(); }

  struct Wish {
    fuse_req* request;
    Opened* opened;  // lives as long as the request is not answered
    Client::LockAsked asked;
    uint64_t pause_ns = 0, next_ns = 0;
  };
  /// Answers the request when the lock is there, or the program was interrupted.
  void wait(Wish wish);
  /// Who waits is told EINTR; nobody may wait any more.
  void stop();

  /// One attempt; EAGAIN when somebody is in the way.
  int attempt(Opened& opened, const Client::LockAsked& asked, Client::LockAnswer* in_the_way);
  /// Gives back what a process locked of the file.
  void give_ranges(Opened& opened, uint64_t owner);
  /// The same for all that was locked by an open file.
  void give_all(Opened& opened);
  /// The name of one of the kernel's owners; nobody else has it.
  Nonce owner(uint64_t kernel_owner) const;

 private:
  void work();
  bool try_again(Wish& wish);
  void give(Item& item, const Nonce& owner, uint32_t flags);

  Mount& mount_;
  const Nonce name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Wish> wishes_;
  bool stopped_ = false;
  std::thread thread_;  // once somebody waited
};

}  // namespace headrace::forward::mount
