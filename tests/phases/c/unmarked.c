/* Writes without marking phases: "dumps" five times 8 MiB with pauses, "steady" a little all the time. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kDumps = 5, kDump = 8 << 20, kSteps = 400, kStep = 64 << 10 };

int main(int argc, char** argv) {
  if (argc < 3 || chdir(argv[2]) != 0) return 2;
  const int dumps = strcmp(argv[1], "dumps") == 0;
  char* data = calloc(1, kDump);
  int file = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!data || file < 0) return 3;
  for (int i = 0; i < (dumps ? kDumps : kSteps); ++i) {
    usleep(dumps ? 200000 : 2000);
    const size_t size = dumps ? kDump : kStep;
    if (write(file, data, size) != (ssize_t)size) return 4;
    lseek(file, 0, SEEK_SET);
  }
  free(data);
  if (dumps) usleep(200000);
  return close(file);
}
