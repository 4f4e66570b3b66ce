// Starting the command as the shell would have: same signals, same descriptors, same exit codes for what cannot be run.
#pragma once
#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::programs {

/// The signal state that the launcher was started with, which the command must get.
struct SignalState {
  sigset_t mask;
  bool child_ignored = false;  // SIGCHLD was ignored; the launcher itself needs it
};

/// Blocks every signal that can be waited for, and remembers what was before.
SignalState take_over_signals();

/// The file that executing `name` would run, by $PATH like a shell. kNotFound (exit 127) or kInvalid (exit 126), with
/// the message a shell would give.
base::Result<std::string> find_program(const std::string& name);

/// The environment with the capture library, behind the program's `runtime` (capture/recorder/target.h), and the values
/// of capture::kJobVariables added.
std::vector<std::string> capture_environment(const std::string& library, const std::string& runtime,
                                             const std::vector<std::string>& values);
/// The environment as it is.
std::vector<std::string> plain_environment();

/// Starts `program`; returns its pid. The failure is the child's own exec: kInvalid (exit 126) or kIo.
base::Result<pid_t> start_program(const std::string& program, const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment, const SignalState& signals);

/// Ends this process as a command ended, by its wait status.
[[noreturn]] void end_like(int wait_status);

/// Becomes `program`; returns only the reason why not.
base::Status become_program(const std::string& program, const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment);

}  // namespace headrace::programs
