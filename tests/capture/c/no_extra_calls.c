// Reads a file in a sandbox that kills a process for touching its signal mask, which reading does not need.
#include <fcntl.h>
#include <unistd.h>

#include "sandbox.h"

int main(void) {
  char bytes[16];
  if (!forbid(SYS_rt_sigprocmask)) return 77;
  const int file = open("/dev/zero", O_RDONLY);
  for (int i = 0; i < 10; ++i)
    if (read(file, bytes, sizeof bytes) != sizeof bytes) return 1;
  close(file);
  _exit(0);
}
