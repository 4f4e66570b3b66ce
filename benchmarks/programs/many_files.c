// Writes 100 bytes to each of COUNT files in DIRECTORY, 1,000 to a subdirectory: makes a log with as many file records.
// Each file is removed again at once: records stay, files need not.
#include "measure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_one(const char* directory, long number) {
  char name[64];
  char path[4096];
  if (number % 1000 == 0) {
    snprintf(name, sizeof name, "part-%ld", number / 1000);
    path_in(path, sizeof path, directory, name);
    if (mkdir(path, 0700) != 0) fail(path);
  }
  snprintf(name, sizeof name, "part-%ld/file-%ld", number / 1000, number);
  path_in(path, sizeof path, directory, name);
  static const char block[100];
  int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (fd < 0 || write(fd, block, sizeof block) != sizeof block || close(fd) != 0 || unlink(path) != 0) fail(path);
}

int main(int argc, char** argv) {
  const char* directory = directory_argument(argc, argv, 2, "DIRECTORY COUNT");
  long count = atol(argv[2]);
  if (count < 1) {
    fprintf(stderr, "%s: give the number of files\n", argv[2]);
    return 2;
  }
  for (long i = 0; i < count; ++i) write_one(directory, i);
  return 0;
}
