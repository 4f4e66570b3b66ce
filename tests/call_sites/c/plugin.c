#include <fcntl.h>
#include <unistd.h>

#ifndef ENTRY
#define ENTRY plugin_opens
#endif

__attribute__((noinline)) int ENTRY(const char* path) {
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  if (fd < 0) return -1;
  return close(fd);
}
int plugin_entry(const char* path) { return ENTRY(path) * 2; }
