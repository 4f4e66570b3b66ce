// The forwarding servers of one command: started before it, told to store all they hold and to end after it.
#pragma once
#include <sys/types.h>

#include <functional>
#include <map>
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
  /// Whether one is found gone of which no child of this process tells.
  virtual bool lost_one() { return false; }
  /// How one came to its end before it was told to, by its place among the addresses; "": as far as is known it did
  /// not.
  std::string how_died(size_t server) const {
    const auto found = died_.find(server);
    return found == died_.end() ? "" : found->second;
  }
  /// Has them store what they hold and end, and waits for that. False when one failed, or was gone before.
  virtual bool stop() = 0;

 protected:
  explicit CommandServers(std::unique_ptr<ServerDirectory> directory) : directory_(std::move(directory)) {}
  /// In a child: it is told to end when `parent` ends.
  static void end_with(pid_t parent);
  /// Becomes a program in a process group of its own, since Ctrl-C is for the command; returns when it cannot. `says`:
  /// its standard output.
  void become(std::vector<std::string> words, int says) const;
  /// In words, of what waitpid() says.
  static std::string how_ended(int wait_status);
  /// Waits for a child that ends. Who does not want to wait sends another signal: then `hurry` is called.
  static int wait_for(pid_t pid, const std::function<void()>& hurry);

  std::unique_ptr<ServerDirectory> directory_;
  std::vector<std::string> addresses_;
  std::map<size_t, std::string> died_;
  bool failed_ = false;
};

}  // namespace headrace::programs
