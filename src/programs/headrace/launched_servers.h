// Servers of one command on several nodes, started by what starts processes there: mpirun, srun and their like.
//
// They say where they are in a directory that all nodes see, and end when the connections of this process to them do.
// So nothing depends on how a launcher passes signals on, or on how long it waits after that.
#pragma once
#include <signal.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "forward/client/client.h"
#include "programs/headrace/command_servers.h"

namespace headrace::programs {

struct Launch {
  std::string launcher;   // a command of the shell, to which that of a server is added
  std::string interface;  // of each node, that servers listen on
  std::string shared;     // a directory that all nodes see
  unsigned count = 0;     // of servers that the launcher starts
  sigset_t signals;       // the mask of whoever called this program
};

class LaunchedServers : public CommandServers {
 public:
  /// Returns when all can be reached.
  static base::Result<std::unique_ptr<CommandServers>> start(const Launch& launch,
                                                             const std::vector<std::string>& options);
  ~LaunchedServers() override { LaunchedServers::stop(); }

  std::string secret() const override { return directory_->path() + "/secret"; }
  bool note_exit(pid_t pid, int wait_status) override;
  bool lost_one() override;
  bool stop() override;

 private:
  using CommandServers::CommandServers;
  base::Status launch(const Launch& launch, const std::vector<std::string>& options);
  base::Status await(unsigned count);
  std::string came(unsigned count) const;
  static base::Status pause();
  base::Status keep_new();
  void keep_late();
  void tell_of_losses();
  /// Of a start that failed: there is nothing to be stored.
  void abandon();

  pid_t launcher_ = 0;           // 0: not started, or ended
  std::set<std::string> known_;  // files of servers
  std::vector<std::unique_ptr<forward::Client>> keepers_;
};

}  // namespace headrace::programs
