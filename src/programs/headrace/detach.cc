#include "programs/headrace/detach.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

namespace headrace::programs {

void detach(int kept) {
  setsid();
  signal(SIGHUP, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  for (int number : {SIGTERM, SIGINT, SIGQUIT, SIGCHLD}) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3; ++standard) dup2(null, standard);
  const auto low = static_cast<unsigned>(kept > 3 ? kept : 3);
  if (low > 3) syscall(SYS_close_range, 3u, low - 1, 0u);
  syscall(SYS_close_range, low == static_cast<unsigned>(kept) ? low + 1 : low, ~0u, 0u);
  [[maybe_unused]] const int ignored = chdir("/");
}

}  // namespace headrace::programs
