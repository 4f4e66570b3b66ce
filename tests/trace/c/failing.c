// Asks for what is not there, many times over: failing [HOW OFTEN].
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int count, char** arguments) {
  const int often = count > 1 ? atoi(arguments[1]) : 3000;
  struct stat facts;
  char path[64];
  for (int i = 0; i < 3; ++i) {
    if (open("nowhere/file", O_RDONLY) >= 0) return 1;
    if (fopen("missing", "r")) return 2;
  }
  if (openat(AT_FDCWD, "/no/such/path", O_RDONLY) >= 0) return 3;
  if (stat("missing", &facts) == 0 || unlink("gone") == 0) return 4;
  for (int i = 0; i < often; ++i) {
    snprintf(path, sizeof path, "searched/%d", i);
    if (access(path, R_OK) == 0) return 5;
  }
  const int file = open("there", O_CREAT | O_WRONLY | O_EXCL, 0600);
  if (file < 0 || open("there", O_CREAT | O_WRONLY | O_EXCL, 0600) >= 0) return 6;
  if (open((const char*)8, O_RDONLY) >= 0) return 7;  // no path at all
  return close(file);
}
