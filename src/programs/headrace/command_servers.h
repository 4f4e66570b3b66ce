// The forwarding servers of one command: started before it, told to store all they hold and to end after it.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "programs/headrace/server_directory.h"

namespace headrace::programs {

class CommandServers {
 public:
  virtual ~CommandServers() = default;
  CommandServers(const CommandServers&) = delete;
  CommandServers& operator=(const CommandServers&) = delete;

  const std::vector<std::string>& addresses() const { return addresses_; }
  /// The file of the secret that clients need; "": none.
  virtual std::string secret() const { return ""; }
  /// Notes that a child of this process has ended. True when it is one of these, which nobody told to end.
  virtual bool note_exit(pid_t pid, int wait_status) = 0;
  /// Has them store what they hold and end, and waits for that. False when one failed, or was gone before.
  virtual bool stop() = 0;

 protected:
  explicit CommandServers(std::unique_ptr<ServerDirectory> directory) : directory_(std::move(directory)) {}
  /// Becomes a program in a process group of its own, since Ctrl-C is for the command, which is told to end with
  /// `parent`; returns when it cannot. `says`: its standard output.
  void become(std::vector<std::string> words, int says, pid_t parent) const;
  /// Waits for a child that ends. Who does not want to wait sends another signal: then it is told to end at once.
  static int wait_for(pid_t pid);

  std::unique_ptr<ServerDirectory> directory_;
  std::vector<std::string> addresses_;
  bool failed_ = false;
};

}  // namespace headrace::programs
