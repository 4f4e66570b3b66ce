// Writes and reads a file of DIRECTORY from its begin to its end by pwrite and pread of SIZE bytes, COUNT times each:
// what no executor of a workload can do in less time. Prints the ns of a write and of a read.
#include "measure.h"

#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* directory = directory_argument(argc, argv, 3, "DIRECTORY SIZE COUNT");
  const long size = atol(argv[2]), count = atol(argv[3]);
  char path[4096];
  path_in(path, sizeof path, directory, "plain");
  char* bytes = malloc(size);
  int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  if (fd < 0 || bytes == NULL) fail(path);
  memset(bytes, 1, size);
  const long written = CPU_NS(CLOCK_MONOTONIC, count, {
    if (pwrite(fd, bytes, size, i * size) != size) fail("pwrite");
  });
  const long read = CPU_NS(CLOCK_MONOTONIC, count, {
    if (pread(fd, bytes, size, i * size) != size) fail("pread");
  });
  printf("%.3f %.3f\n", (double)written / count, (double)read / count);
  return close(fd) != 0 || unlink(path) != 0;
}
