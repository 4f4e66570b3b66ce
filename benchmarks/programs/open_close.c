// Opens and closes 1,000 files of DIRECTORY in turn: the first batch creates them, so later ones find their records.
#include "direct.h"
#include "measure.h"

#include <fcntl.h>
#include <unistd.h>

enum { kFiles = 1000 };

static char paths[kFiles][256];

static void open_and_close(const char* path) {
  int fd = open(path, O_CREAT | O_RDWR, 0600);
  if (fd < 0 || close(fd) != 0) fail(path);
}

static void direct_open_and_close(const char* path) {
  long fd = direct_call(SYS_openat, AT_FDCWD, (long)path, O_CREAT | O_RDWR, 0600);
  if (fd < 0 || direct_call(SYS_close, fd, 0, 0, 0) != 0) fail(path);
}

int main(int argc, char** argv) {
  const char* directory = directory_argument(argc, argv, 1, "DIRECTORY");
  for (int i = 0; i < kFiles; ++i) {
    char name[32];
    snprintf(name, sizeof name, "file-%d", i);
    path_in(paths[i], sizeof paths[i], directory, name);
  }

  struct Batches batches;
  MEASURE(&batches, kFiles, open_and_close(paths[i]), direct_open_and_close(paths[i]));
  print_batches(&batches);
  return 0;
}
