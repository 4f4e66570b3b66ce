// Names that are made up, and names without links.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>

#include <algorithm>

#include "forward/program/inside.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"

namespace headrace::forward::program {
namespace {

constexpr int kMostAttempts = 1000;
constexpr int kMostLinks = 40;
constexpr size_t kLetters = 6;

void make_up(char* letters) {
  constexpr char kAlphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  uint8_t random[kLetters];
  if (getrandom(random, sizeof random, 0) < 0) memset(random, 0, sizeof random);
  for (size_t i = 0; i < kLetters; ++i) letters[i] = kAlphabet[random[i] % (sizeof kAlphabet - 1)];
}

}  // namespace

bool temporary_path(char* pattern, int suffix, int flags, int* result) {
  if (!is_forwarded_path(AT_FDCWD, pattern)) return false;
  const size_t length = strlen(pattern), behind = static_cast<size_t>(std::max(suffix, 0));
  char* letters = pattern + length - behind - kLetters;
  if (length < behind + kLetters || memcmp(letters, "XXXXXX", kLetters) != 0) {
    *result = fail(EINVAL);
    return true;
  }
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    make_up(letters);
    if (flags == -1)
      mkdir_path(AT_FDCWD, pattern, 0700, result);
    else
      open_path(AT_FDCWD, pattern, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600, result);
    if (*result >= 0 || errno != EEXIST) return true;
  }
  return true;
}

bool real_path(const char* path, char* into, ssize_t* result) {
  auto place = place_of(AT_FDCWD, path, true);
  if (!place.has_value()) return false;
  std::string left = place->rest, done = place->servers->prefix();
  *result = -1;
  std::string target(PATH_MAX, '\0');  // not on the stack: threads may have little
  for (int links = 0; !left.empty();) {
    const size_t end = std::min(left.find('/'), left.size());
    const std::string next = done + "/" + left.substr(0, end);
    left.erase(0, end + 1);
    ssize_t size = 0;
    if (readlink_path(AT_FDCWD, next.c_str(), target.data(), target.size(), &size) && size >= 0) {
      if (++links > kMostLinks) return *result = fail<ssize_t>(ELOOP), true;
      const std::string where = target.substr(0, static_cast<size_t>(size));
      const std::string whole = plain_path((where.starts_with('/') ? where : done + "/" + where) + "/" + left);
      place = place_of(AT_FDCWD, whole.c_str());
      if (!place.has_value()) return *result = fail<ssize_t>(EXDEV), true;
      left = place->rest;
      done = place->servers->prefix();
      while (left.ends_with('/')) left.pop_back();
      continue;
    }
    if (errno != EINVAL) return true;  // EINVAL: it is none
    done = next;
  }
  int exists = -1;
  access_path(AT_FDCWD, done.c_str(), F_OK, 0, &exists);
  if (exists != 0) return true;
  if (done.size() >= PATH_MAX) return *result = fail<ssize_t>(ENAMETOOLONG), true;
  memcpy(into, done.c_str(), done.size() + 1);
  *result = static_cast<ssize_t>(done.size());
  return true;
}

}  // namespace headrace::forward::program
