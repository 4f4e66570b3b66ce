// An open forwarded file, as the kernel's "open file description": what all descriptors share that are dup()s of one
// open, in whatever processes they are by fork, exec or messages.
//
// It lies in a memory file of its own. The program's descriptor is that file opened with O_PATH: the kernel duplicates,
// inherits and closes it as any other, and refuses to read, write or map it, so a call that no wrapper sees fails
// with EBADF instead of going to the wrong place. Which process ever gets it finds the memory behind it.
#pragma once
#include <fcntl.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "forward/client/client.h"

namespace headrace::forward::program {

class Description {
 public:
  struct Facts {
    uint32_t prefix;  // index of its Servers
    uint32_t flags;   // of open(2)
    uint32_t mode;    // type of the file
    const Handle& handle;
    std::string_view path;  // as programs name it
    Nonce opener;           // what the file's server knows this process by
    Nonce owner;            // what servers know the open file by
  };

  /// Makes one and its descriptor, the lowest that is free. Null with errno set.
  static Description* make(const Facts& facts, int* fd);
  /// The one behind a descriptor; null when it is another thing.
  static Description* attach(int fd);
  static bool is_placeholder(int fd);

  uint32_t prefix() const { return prefix_; }
  Handle handle() const;
  std::string_view path() const { return {bytes() + shared_->handle_bytes, shared_->path_bytes}; }
  bool is_file() const { return (shared_->mode & 0170000) == 0100000; }
  bool is_link() const { return (shared_->mode & 0170000) == 0120000; }
  bool is_path_only() const { return shared_->flags & O_PATH; }
  bool is_directory() const { return (shared_->mode & 0170000) == 0040000; }
  std::atomic<uint32_t>& flags() { return shared_->flags; }
  bool may_read() const;
  bool may_write() const;
  /// Where the next read or write begins; needs the position's lock.
  std::atomic<uint64_t>& position() { return shared_->position; }

  /// Held for a whole read or write at the position, by one process of all that share it.
  class PositionLock {
   public:
    explicit PositionLock(Description& of);
    ~PositionLock() { pthread_mutex_unlock(lock_); }
    PositionLock(const PositionLock&) = delete;
    PositionLock& operator=(const PositionLock&) = delete;

   private:
    pthread_mutex_t* lock_;
  };

  /// Whether this process has written to it since the last call of this, or it began.
  bool take_written() { return written_.exchange(false); }
  void set_written() { written_ = true; }

  /// Whether servers know, by that connection to the file's home, that this process has it open.
  bool is_told(uint64_t connection) const;
  void set_told(uint64_t connection);
  bool was_told() const;
  /// Whether they have to be told that this process has not any more; `shared`: another one may have it.
  bool take_told(bool* shared);

  // Locks that belong to the open file and not to a process.
  const Nonce& owner() const { return shared_->owner; }
  /// The process that opened it, as long as it has it open; else zeros.
  Nonce opener() const { return shared_->is_with_opener ? shared_->opener : Nonce{}; }
  bool was_locked() const { return shared_->was_locked; }
  /// Whether this process has to tell the server that it does not have it open any more; it has not from now on.
  bool leave_lock();
  /// This process has a lock of any kind by it since connection `number` to the server; 0: none.
  void set_locked(uint64_t number, bool of_file);
  /// Whether that connection, and so the lock, is gone: `number` is the one that there is now.
  bool lost_lock(uint64_t number) const;

  // Numbers of this process that mean it, and calls that use it: the table's lock is held.
  void use() { ++uses_; }
  void leave();

 private:
  struct Shared {
    uint64_t magic, servers;  // of an identity of Servers
    uint32_t bytes, handle_bytes, path_bytes, mode;
    std::atomic<uint32_t> flags;
    std::atomic<uint64_t> position;
    Nonce owner, opener;
    std::atomic<bool> is_with_opener;
    std::atomic<bool> was_locked;
    pthread_mutex_t lock;
  };
  Description(Shared* shared, uint32_t prefix) : shared_(shared), prefix_(prefix) {}
  const char* bytes() const { return reinterpret_cast<const char*>(shared_ + 1); }

  Shared* const shared_;
  const uint32_t prefix_;  // of this process
  unsigned uses_ = 0;
  std::atomic<bool> written_ = false;
  uint64_t opened_in_ = 0;               // process_generation() of the process that opened it
  std::atomic<uint64_t> locked_in_ = 0;  // of the one that has the lock
  std::atomic<uint64_t> locked_at_ = 0;
  std::atomic<bool> took_ = false;
  std::atomic<uint64_t> told_in_ = 0, told_at_ = 0;  // process_generation(), and the connection
  std::atomic<uint64_t> children_ = 0;               // of this process, when servers were told
};

}  // namespace headrace::forward::program
