// Forwarding servers that belong to one command: processes of this node, in a directory of their own that nobody else
// may enter. They end when whoever started them does, however that comes, and then the directory is removed.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::programs {

class ForwardServers {
 public:
  /// Starts `count` of them with these options of `headrace serve`, and returns when all can be reached. What keeps one
  /// from it, it says itself on stderr.
  static base::Result<ForwardServers> start(unsigned count, const std::vector<std::string>& options);
  ForwardServers(ForwardServers&& other) noexcept;
  ForwardServers& operator=(ForwardServers&&) = delete;
  ~ForwardServers();

  const std::vector<std::string>& addresses() const { return addresses_; }
  /// Notes that a child of this process has ended. True when it is one of these, which nobody told to end.
  bool note_exit(pid_t pid, int wait_status);
  /// Tells one after another to store what it holds and to end, and waits for that. False when one failed, or was gone
  /// before.
  bool stop();

 private:
  explicit ForwardServers(std::string directory) : directory_(std::move(directory)) {}
  base::Status keep_directory();
  static int wait_for(pid_t pid);
  base::Status start_one(const std::vector<std::string>& options);

  std::string directory_;
  std::vector<std::string> addresses_;
  std::vector<pid_t> processes_;  // 0: ended
  int alive_[2] = {-1, -1};       // a pipe that has an end as long as this process or a server lives
  pid_t keeper_ = 0;
  bool failed_ = false;
};

}  // namespace headrace::programs
