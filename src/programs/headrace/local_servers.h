// Servers of one command on this node, reached by sockets of AF_UNIX.
#pragma once
#include "programs/headrace/command_servers.h"

namespace headrace::programs {

class LocalServers : public CommandServers {
 public:
  /// Starts `count` of them with these options of `headrace serve`, and returns when all can be reached. What keeps one
  /// from it, it says itself on stderr.
  static base::Result<std::unique_ptr<CommandServers>> start(unsigned count, const std::vector<std::string>& options);
  ~LocalServers() override { LocalServers::stop(); }

  bool note_exit(pid_t pid, int wait_status) override;
  /// One after another.
  bool stop() override;

 private:
  using CommandServers::CommandServers;
  base::Status start_one(const std::vector<std::string>& options);

  std::vector<pid_t> processes_;  // 0: ended
};

}  // namespace headrace::programs
