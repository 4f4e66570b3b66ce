// What a program finds when it is started.
#pragma once
#include <fcntl.h>
#include <signal.h>

namespace headrace::programs {

/// Takes the place of closed standard streams, so that no file of ours gets their numbers and is taken for one of them.
/// What is started from here still finds them closed.
inline void reserve_standard_streams() {
  for (int standard = 0; standard < 3; ++standard) {
    if (fcntl(standard, F_GETFD) < 0) [[maybe_unused]]
      const int reserved = open("/dev/null", O_RDWR | O_CLOEXEC);
  }
}

/// Whether whoever started this wants it to go on in spite of a signal, as nohup(1) does.
inline bool is_ignored(int number) {
  struct sigaction now{};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace headrace::programs
