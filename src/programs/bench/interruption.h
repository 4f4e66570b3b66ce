// Signals that end a run. It stops between two operations and removes its files; where one operation takes longer than
// a launcher waits before it kills, a thread removes them.
#pragma once
#include <pthread.h>
#include <signal.h>

#include <functional>

namespace headrace::programs {

/// The number of the signal that came; 0: none.
extern volatile sig_atomic_t stop_signal;

/// From here on SIGINT, SIGTERM and SIGHUP set it; a second one ends the process at once.
void take_signals();

/// While it lives: a signal that has not ended the process after a moment calls `remove`, in a thread of its own, and
/// ends it. One at a time.
class LastResort {
 public:
  explicit LastResort(std::function<void()> remove);
  ~LastResort();
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

 private:
  static void* wait(void* self);

  const std::function<void()> remove_;
  pthread_t thread_{};
  bool runs_ = false;
};

}  // namespace headrace::programs
