// Writes of one byte to /dev/null, a path that capture leaves out by default: the price of being told so.
#include "direct.h"
#include "measure.h"

#include <fcntl.h>
#include <unistd.h>

int main(void) {
  int fd = open("/dev/null", O_WRONLY);
  if (fd < 0) fail("/dev/null");

  struct Batches batches;
  const char* byte = "x";
  MEASURE(
      &batches, 4000,
      {
        if (write(fd, byte, 1) != 1) fail("write");
      },
      {
        if (direct_call(SYS_write, fd, (long)byte, 1, 0) != 1) fail("direct write");
      });

  if (close(fd) != 0) fail("/dev/null");
  print_batches(&batches);
  return 0;
}
