// Writes of one byte to a file in DIRECTORY; the reference writes to a second one, to leave this one's position alone.
#include "direct.h"
#include "measure.h"

#include <fcntl.h>
#include <unistd.h>

static int create(const char* directory, const char* name) {
  char path[4096];
  path_in(path, sizeof path, directory, name);
  int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (fd < 0) fail(path);
  return fd;
}

int main(int argc, char** argv) {
  const char* directory = directory_argument(argc, argv, 1, "DIRECTORY");
  int fd = create(directory, "written");
  int other = create(directory, "reference");

  struct Batches batches;
  const char* byte = "x";
  MEASURE(
      &batches, 2000,
      {
        if (write(fd, byte, 1) != 1) fail("write");
      },
      {
        if (direct_call(SYS_write, other, (long)byte, 1, 0) != 1) fail("direct write");
      });

  if (close(fd) != 0 || close(other) != 0) fail("close");
  print_batches(&batches);
  return 0;
}
