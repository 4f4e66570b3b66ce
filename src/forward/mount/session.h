// The kernel's side of a mount: made, served by threads, ended.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "forward/mount/mount.h"

struct fuse_session;

namespace headrace::forward::mount {

class Session {
 public:
  /// `ready` is called, in a thread that serves, when programs can use it.
  static base::Result<std::unique_ptr<Session>> make(Mount& mount, const std::string& mountpoint,
                                                     std::function<void()> ready);
  /// Takes the mount away, if it is there still. Who has files open gets ENOTCONN from then on.
  ~Session();

  /// Returns when it was unmounted, or after end().
  void serve();
  /// Brings what maps of memory have changed to the servers, and lets serve() return. In a thread of its own.
  void end();

  Mount& mount() { return mount_; }

  // For what libfuse calls:
  void is_ready() { ready_(); }
  void look_at_question(const char* message, size_t bytes);
  void look_at_answer(const char* head, size_t head_bytes, char* body, size_t body_bytes) const;

 private:
  Session(Mount& mount, std::string mountpoint, std::function<void()> ready)
      : mount_(mount), mountpoint_(std::move(mountpoint)), ready_(std::move(ready)) {}
  void serve_in_thread();
  void keep_device();

  Mount& mount_;
  const std::string mountpoint_;
  const std::function<void()> ready_;
  fuse_session* session_ = nullptr;
  int device_ = -1;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::atomic<unsigned> serving_ = 0;
  uint64_t first_call_ = 0;  // that the kernel begins with, if it can have shared maps of files like these
};

}  // namespace headrace::forward::mount
