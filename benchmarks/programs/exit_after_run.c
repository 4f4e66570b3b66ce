// A short run with much to settle at its end: 1,000 files written in DIRECTORY, then many small writes to one more.
// Prints `end NANOSECONDS`, the monotonic clock where main ends.
#include "measure.h"

#include <fcntl.h>
#include <unistd.h>

enum { kFiles = 1000, kWrites = 20000 };

static int create(const char* directory, int number) {
  char name[32];
  char path[4096];
  snprintf(name, sizeof name, "run-%d", number);
  path_in(path, sizeof path, directory, name);
  int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (fd < 0) fail(path);
  return fd;
}

int main(int argc, char** argv) {
  const char* directory = directory_argument(argc, argv, 1, "DIRECTORY");
  static const char block[4096];
  for (int i = 0; i < kFiles; ++i) {
    int fd = create(directory, i);
    if (write(fd, block, sizeof block) != sizeof block || close(fd) != 0) fail("write");
  }
  int fd = create(directory, kFiles);
  for (int i = 0; i < kWrites; ++i) {
    if (write(fd, block, 1) != 1) fail("write");
  }
  if (close(fd) != 0) fail("close");
  printf("end %ld\n", clock_ns(CLOCK_MONOTONIC));
  fflush(stdout);
  return 0;
}
