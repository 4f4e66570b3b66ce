#include "capture/recorder/names.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/kernel.h"
#include "capture/recorder/descriptors.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {
namespace {

// The working directory is asked for once and kept until chdir: getcwd costs as much as a small write.
char directory_text[kPathMax];
std::atomic<uint32_t> directory_length;   // 0: to be asked for
std::atomic<uint32_t> directory_changes;

uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// True when `text` has "//", "/./", "/../" or ends in "/" or "/.": it must be rewritten. May say so needlessly.
bool is_irregular(const char* text, uint32_t length) {
  // Any "/" followed by "/" or "." counts; hidden files take the slow way and come out unchanged. Words of 8 bytes.
  uint32_t i = 0;
  constexpr uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  for (; i + 9 <= length; i += 8) {
    uint64_t here, behind;
    memcpy(&here, text + i, 8);
    memcpy(&behind, text + i + 1, 8);
    uint64_t slash = here ^ (kOnes * '/'), next_slash = behind ^ (kOnes * '/'), next_dot = behind ^ (kOnes * '.');
    auto zeros = [](uint64_t v) { return (v - kOnes) & ~v & kHigh; };
    if (zeros(slash) & (zeros(next_slash) | zeros(next_dot))) return true;
  }
  for (; i + 1 < length; ++i)
    if (text[i] == '/' && (text[i + 1] == '/' || text[i + 1] == '.')) return true;
  return length > 1 && text[length - 1] == '/';
}

/// Appends the components of `path` to out[0…n), resolving "." and ".."; returns the new length.
uint32_t append_components(char* out, uint32_t n, const char* path) {
  while (*path) {
    while (*path == '/') ++path;
    const char* end = path;
    while (*end && *end != '/') ++end;
    auto length = static_cast<uint32_t>(end - path);
    if (length == 2 && path[0] == '.' && path[1] == '.') {
      while (n && out[--n] != '/') {}
    } else if (length > 0 && !(length == 1 && *path == '.')) {
      if (n + length + 2 > kPathMax) break;  // deeper than PATH_MAX: the name is cut, the counts are not
      out[n++] = '/';
      memcpy(out + n, path, length);
      n += length;
    }
    path = end;
  }
  return n;
}

uint32_t prefix_of(int directory, char* out) {
  PathName prefix = directory == AT_FDCWD ? working_directory() : name_of_descriptor(directory);
  uint32_t length = prefix.length < kPathMax - 2 ? prefix.length : 0;
  memcpy(out, prefix.text, length);
  if (length == 1 && out[0] == '/') length = 0;
  return length;
}

}  // namespace

uint64_t hash_name(const char* text, uint32_t length) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ length, low = 0, high = 0;
  uint32_t i = 0;
  for (; i + 16 <= length; i += 16) {
    memcpy(&low, text + i, 8);
    memcpy(&high, text + i + 8, 8);
    hash = mix(hash ^ low ^ 0xa0761d6478bd642fu, high ^ 0xe7037ed1a0b428dbu);
  }
  if (i < length) {
    char tail[16] = {};
    memcpy(tail, text + i, length - i);
    memcpy(&low, tail, 8);
    memcpy(&high, tail + 8, 8);
    hash = mix(hash ^ low ^ 0xa0761d6478bd642fu, high ^ 0xe7037ed1a0b428dbu);
  }
  return hash | 1;
}

PathName absolute_name(int directory, const char* path, uint32_t buffer) {
  auto length = static_cast<uint32_t>(strlen(path));
  if (*path == '/' && !is_irregular(path, length)) return {path, length, hash_name(path, length)};
  char* out = self->path[buffer];
  uint32_t n = *path == '/' ? 0 : prefix_of(directory, out);
  n = append_components(out, n, path);
  if (n == 0) out[n++] = '/';
  out[n] = 0;
  return {out, n, hash_name(out, n)};
}

void forget_working_directory() {
  directory_changes.fetch_add(1);
  directory_length.store(0);
}

PathName working_directory() {
  uint32_t length = directory_length.load(std::memory_order_acquire);
  if (length == 0) {
    int saved = errno;
    SpoolLock lock;
    uint32_t changes = directory_changes.load();
    long got = base::kernel_call(SYS_getcwd, directory_text, sizeof directory_text);
    length = got > 1 && directory_text[0] == '/' ? static_cast<uint32_t>(got - 1) : 0;
    if (changes == directory_changes.load()) directory_length.store(length, std::memory_order_release);
    errno = saved;
  }
  return {directory_text, length, 0};
}

}  // namespace headrace::capture
