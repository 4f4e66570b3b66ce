#include "capture/harvest/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace headrace::capture {

std::string read_small_file_at(int directory, const char* name, size_t limit) {
  std::string text;
  const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (directory == AT_FDCWD ? 0 : O_NOFOLLOW));
  if (fd < 0) return text;
  struct stat found;
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) limit = 0;  // a pipe or a device would keep us waiting
  char buffer[4096];
  while (text.size() < limit) {
    const ssize_t got = read(fd, buffer, std::min(sizeof buffer, limit - text.size()));
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  return text;
}

std::string read_small_file(const char* path, size_t limit) { return read_small_file_at(AT_FDCWD, path, limit); }

}  // namespace headrace::capture
