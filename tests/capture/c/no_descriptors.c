// Makes many directories while every descriptor it may have is in use: no_descriptors DIRECTORY COUNT.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const struct rlimit few = {64, 64};
  char name[4096];
  if (argc != 3 || setrlimit(RLIMIT_NOFILE, &few) != 0) return 2;
  while (open("/dev/null", O_RDONLY) >= 0) continue;
  for (int i = 0; i < atoi(argv[2]); ++i) {
    snprintf(name, sizeof name, "%s/a-directory-with-a-name-of-some-length-%d", argv[1], i);
    if (mkdir(name, 0700) != 0 || rmdir(name) != 0) return 1;
  }
  return 0;
}
