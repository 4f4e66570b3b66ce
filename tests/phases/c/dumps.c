// dumps FILE: three dumps of 1000, 2000 and 3000 bytes, each in a phase, and 500 bytes outside of them.
#include <fcntl.h>
#include <headrace/phases.h>
#include <unistd.h>

static char data[3000];

int main(int count, char** values) {
  const int fd = count > 1 ? open(values[1], O_WRONLY | O_CREAT, 0600) : -1;
  if (fd < 0 || write(fd, data, 500) != 500) return 1;
  for (size_t size = 1000; size <= 3000; size += 1000) {
    headrace_phase_begin("dump");
    if (write(fd, data, size) != (ssize_t)size) return 1;
    headrace_phase_end("dump");
  }
  return close(fd);
}
