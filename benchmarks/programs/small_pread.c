// Reads of one byte at scattered offsets of one 1 MiB file in DIRECTORY.
#include "direct.h"
#include "measure.h"

#include <fcntl.h>
#include <unistd.h>

enum { kFileBytes = 1 << 20 };

static inline long offset_of(long i) { return (i * 4099) & (kFileBytes - 1); }

int main(int argc, char** argv) {
  char path[4096];
  path_in(path, sizeof path, directory_argument(argc, argv, 1, "DIRECTORY"), "read");
  int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  if (fd < 0 || ftruncate(fd, kFileBytes) != 0) fail(path);

  struct Batches batches;
  char byte;
  MEASURE(
      &batches, 2000,
      {
        if (pread(fd, &byte, 1, offset_of(i)) != 1) fail("pread");
      },
      {
        if (direct_call(SYS_pread64, fd, (long)&byte, 1, offset_of(i)) != 1) fail("direct pread");
      });

  if (close(fd) != 0) fail(path);
  print_batches(&batches);
  return 0;
}
