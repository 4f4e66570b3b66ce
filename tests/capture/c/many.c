/* Known I/O on many files: many DIR SMALL LARGE LARGE_MIB SEED [DIRS]
 * SMALL files of one write of 100 + i % 7 bytes; after every SMALL / LARGE of them, in random order, a large file of
 * LARGE_MIB writes of 1 MiB. Paths: DIR/dJ/small-I and DIR/large-I. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char buffer[1 << 20];

static int open_new(const char* path) {
  int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) perror(path), exit(1);
  return fd;
}

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  const char* directory = argv[1];
  int small = atoi(argv[2]), large = atoi(argv[3]), mebibytes = atoi(argv[4]), dirs = argc > 6 ? atoi(argv[6]) : 1;
  char path[8192];
  srand(atoi(argv[5]));
  for (int i = 0; i < dirs; ++i) {
    snprintf(path, sizeof path, "%s/d%d", directory, i);
    mkdir(path, 0755);
  }
  int made = 0;
  for (int i = 0; i < small || made < large; ++i) {
    if (i < small) {
      snprintf(path, sizeof path, "%s/d%d/small-%d", directory, i % dirs, i);
      int fd = open_new(path);
      if (write(fd, buffer, 100 + i % 7) != 100 + i % 7) return 3;
      close(fd);
      unlink(path);
    }
    if (made >= large || (i < small - 1 && rand() % (small / large + 1) != 0)) continue;
    snprintf(path, sizeof path, "%s/large-%d", directory, made++);
    int fd = open_new(path);
    for (int n = 0; n < mebibytes; ++n)
      if (pwrite(fd, buffer, sizeof buffer, (off_t)0) != sizeof buffer) return 3;
    close(fd);
    unlink(path);
  }
  return 0;
}
