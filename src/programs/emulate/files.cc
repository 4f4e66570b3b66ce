#include "programs/emulate/files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/hash.h"
#include "programs/emulate/real.h"
#include "workload/emulation/state_file.h"

namespace headrace::emulate {
namespace {

constexpr int kRemembered = 4096;
constexpr size_t kRoom = 1024;  // of a path; of longer ones the beginning is looked at

/// The directory: links resolved, and as people write it.
char prefixes[2][kRoom];
/// By descriptor: which file it was when it was looked at last, its lowest bit whether that is slow. 0: never.
std::atomic<uint64_t> seen[kRemembered];

__attribute__((constructor)) void configure() {
  int at = 0;
  for (const char* variable : {workload::emulation::kDirectoryVariable, workload::emulation::kAliasVariable}) {
    const char* text = getenv(variable);
    if (text != nullptr && text[0] == '/' && strlen(text) < kRoom) strcpy(prefixes[at], text);
    ++at;
  }
}

/// What follows the directory in `path`, or null.
const char* below(const char* path) {
  for (const char* prefix : prefixes) {
    const size_t length = strcmp(prefix, "/") == 0 ? 0 : strlen(prefix);
    const bool used = prefix[0] != '\0';
    if (used && strncmp(path, prefix, length) == 0 && (path[length] == '/' || path[length] == '\0'))
      return path + length;
  }
  return nullptr;
}

Place place_of_full(const char* path) {
  const char* rest = below(path);
  if (rest == nullptr) return {};
  const char* last = strrchr(rest, '/');
  return {true, base::hash_bytes(rest, last != nullptr ? static_cast<size_t>(last - rest) : 0)};
}

/// "" where there is none.
void path_of(int fd, char (&path)[kRoom]) {
  char link[32] = "/proc/self/fd/";
  char digits[12];
  int count = 0;
  do digits[count++] = static_cast<char>('0' + fd % 10);
  while ((fd /= 10) > 0);
  char* end = link + strlen(link);
  while (count > 0) *end++ = digits[--count];
  *end = '\0';
  const ssize_t length = REAL(readlink)(link, path, kRoom - 1);
  path[length > 0 ? length : 0] = '\0';
}

/// Adds the parts of `more` to an absolute path: "." is nothing, ".." takes one away.
void add(char (&path)[kRoom], const char* more) {
  size_t length = strlen(path);
  while (length > 0 && path[length - 1] == '/') path[--length] = '\0';
  while (*more != '\0') {
    const char* end = strchrnul(more, '/');
    const auto part = static_cast<size_t>(end - more);
    if (part == 2 && more[0] == '.' && more[1] == '.') {
      while (length > 0 && path[--length] != '/') {
      }
    } else if (part > 0 && (part != 1 || more[0] != '.') && length + 1 + part < kRoom) {
      path[length++] = '/';
      memcpy(path + length, more, part);
      length += part;
    }
    path[length] = '\0';
    more = *end != '\0' ? end + 1 : end;
  }
}

}  // namespace

File file_of(int fd) {
  const int error = errno;
  struct stat info;
  File file;
  if (fd >= 0 && prefixes[0][0] != '\0' && REAL(fstat)(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    // Descriptors come and go in many ways: which file it is says whether what is remembered still holds.
    file.id = base::mix(info.st_ino, info.st_dev) | 1;
    const uint64_t known = fd < kRemembered ? seen[fd].load(std::memory_order_relaxed) : 0;
    if ((known | 1) == file.id) {
      file.slow = (known & 1) != 0;
    } else {
      file.slow = place_of(fd).slow;
      if (fd < kRemembered) seen[fd].store(file.slow ? file.id : file.id & ~uint64_t{1}, std::memory_order_relaxed);
    }
  }
  errno = error;
  return file;
}

Place place_of(int fd) {
  const int error = errno;
  char path[kRoom];
  path_of(fd, path);
  errno = error;
  return place_of_full(path);
}

Place place_of(int directory, const char* path) {
  if (path == nullptr || prefixes[0][0] == '\0') return {};
  const int error = errno;
  char full[kRoom] = "";
  if (path[0] != '/') {
    if (directory != AT_FDCWD)
      path_of(directory, full);
    else if (REAL(getcwd)(full, kRoom) == nullptr)
      full[0] = '\0';
    if (full[0] != '/') return errno = error, Place{};
  }
  add(full, path);
  errno = error;
  return place_of_full(full);
}

}  // namespace headrace::emulate
