// A program that capture may not be able to follow: prints its environment and does some I/O.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char** environ;

int main(int count, char** arguments) {
  for (char** entry = environ; *entry; ++entry) puts(*entry);
  printf("%d %d %d\n", count, (int)getuid(), (int)geteuid());
  fflush(stdout);
  int fd = open("/dev/null", O_WRONLY);
  if (fd < 0 || write(fd, "text", 4) != 4) return 1;
  close(fd);
  return count > 1 ? atoi(arguments[1]) : 0;
}
