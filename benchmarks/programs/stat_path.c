// stat of one file in DIRECTORY.
#include "direct.h"
#include "measure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char path[4096];
  path_in(path, sizeof path, directory_argument(argc, argv, 1, "DIRECTORY"), "examined");
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  if (fd < 0 || close(fd) != 0) fail(path);

  struct Batches batches;
  struct stat facts;
  MEASURE(
      &batches, 1000,
      {
        if (stat(path, &facts) != 0) fail("stat");
      },
      {
        if (direct_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)&facts, 0) != 0) fail("direct stat");
      });

  print_batches(&batches);
  return 0;
}
