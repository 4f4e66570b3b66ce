// What a killed launcher leaves is collected all the same: an MPI launcher kills those of its ranks when one of them
// calls MPI_Abort or is killed itself.
#pragma once
#include <sys/types.h>

#include <string>

namespace headrace::programs {

/// A process of its own, in a session of its own, that waits for the end of this one. Unless end() was called it then
/// runs `headrace collect` for the job's directory, as often as processes of the job still run. One thread.
class Keeper {
 public:
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// Before the command is started. Where no process can be made, the records wait for `headrace collect`.
  void begin(const std::string& directory);
  /// The log is written: there is nothing to collect.
  void end();

 private:
  pid_t process_ = 0;
  int to_it_ = -1;
};

}  // namespace headrace::programs
