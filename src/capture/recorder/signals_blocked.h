// Keeps signal handlers away for a scope.
#pragma once
#include <signal.h>

#include "base/kernel.h"

namespace headrace::capture {

/// For what a handler must not find half done, and must not leave half done by siglongjmp: a lock that it would wait
/// for, tables that others read. Two system calls, so only where memory is being handed out. Signals of the program's
/// own faults stay as they are: blocked, they would kill at once. Async-signal-safe; nests.
class SignalsBlocked {
 public:
  SignalsBlocked() { begin(&before_); }
  ~SignalsBlocked() { end(before_); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  /// For what ends in another function: keeps in `before` what `end` restores.
  static void begin(uint64_t* before) {
    auto bit = [](int signal) { return uint64_t{1} << (signal - 1); };
    const uint64_t most = ~(bit(SIGSEGV) | bit(SIGBUS) | bit(SIGILL) | bit(SIGFPE) | bit(SIGTRAP) | bit(SIGSYS));
    base::kernel_call(SYS_rt_sigprocmask, SIG_BLOCK, &most, before, sizeof *before);
  }
  static void end(const uint64_t& before) {
    base::kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  }

 private:
  uint64_t before_;  // the kernel's own form of a signal set
};

}  // namespace headrace::capture
