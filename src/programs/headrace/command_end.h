// Ends a command, with all that it has started and that is still below its `headrace run`, which makes the log of it.
#pragma once
#include <signal.h>
#include <sys/types.h>

#include <cstdint>

namespace headrace::programs {

class CommandEnd {
 public:
  /// `run`: a child of this process that is `headrace run`.
  explicit CommandEnd(pid_t run) : run_(run) {}
  /// SIGTERM to all; who is there ten seconds later is killed.
  void begin();
  /// Waits for a signal of this process, for a second at the most, and does what is due. Less than 0: none came.
  int wait(const sigset_t& signals, siginfo_t* info);

 private:
  const pid_t run_;
  uint64_t kill_at_ns_ = 0;  // 0: it goes on
};

}  // namespace headrace::programs
