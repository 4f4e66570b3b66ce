#include "capture/recorder/names.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include <unistd.h>

#include "base/kernel.h"
#include "base/sanitizers.h"
#include "base/start_code.h"
#include "base/working_directory.h"
#include "capture/recorder/descriptors.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

// The working directory is asked for once and kept until chdir: getcwd costs as much as a small write.
HEADRACE_LARGE char directory_text[kPathMax];
std::atomic<uint32_t> directory_length;  // 0: to be asked for
std::atomic<uint32_t> directory_changes;
// Where the program went, step by step: what counts where the kernel has no name for it, beyond PATH_MAX.
HEADRACE_LARGE char followed_text[kPathMax];
uint32_t followed_length;  // under SpoolLock

uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// The hash, 16 bytes at a step; the last step is filled up with zeros.
struct Hash {
  uint64_t value = 0x9e3779b97f4a7c15u;
  void add(uint64_t low, uint64_t high) { value = mix(value ^ low ^ 0xa0761d6478bd642fu, high ^ 0xe7037ed1a0b428dbu); }
  uint64_t finish(uint32_t length) const { return mix(value ^ length, 0x8ebc6af09c88c6e3u) | 1; }
};

/// Length, hash, and whether "//", "/." or a "/" at the end occur, which absolute_name() rewrites (hidden files come
/// out of that unchanged).
struct Scanned {
  uint32_t length;
  uint64_t hash;
  bool irregular;
};

#if defined(__SSE2__)
constexpr uintptr_t kPageMask = 4095;
#ifdef HEADRACE_SANITIZED
constexpr bool kSanitized = true;  // reading behind the end inside a page is safe, but looks like a mistake
#else
constexpr bool kSanitized = false;
#endif

/// 16 bytes at `text`, zeros behind its end; never touches a page that the text does not.
__m128i load_block(const char* text) {
  if (!kSanitized && __builtin_expect((reinterpret_cast<uintptr_t>(text) & kPageMask) <= kPageMask + 1 - 16, 1))
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  alignas(16) char copy[16] = {};
  for (int i = 0; i < 16 && text[i]; ++i) copy[i] = text[i];
  return _mm_load_si128(reinterpret_cast<const __m128i*>(copy));
}

Scanned scan(const char* text) {
  Hash hash;
  uint32_t length = 0, follows_slash = 0, found = 0;
  for (;; length += 16) {
    __m128i block = load_block(text + length);
    auto mask = [&](char c) {
      return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(c))));
    };
    uint32_t ends = mask(0), slashes = mask('/'), dots = mask('.');
    if (ends) {
      auto rest = static_cast<uint32_t>(__builtin_ctz(ends));
      uint32_t kept = (1u << rest) - 1;
      slashes &= kept;
      found |= ((slashes << 1) | follows_slash) & (slashes | (dots & kept) | (1u << rest));
      length += rest;
      if (rest) {
        alignas(16) static const int8_t kKeep[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
        block = _mm_and_si128(block, _mm_loadu_si128(reinterpret_cast<const __m128i*>(kKeep + 16 - rest)));
        hash.add(static_cast<uint64_t>(_mm_cvtsi128_si64(block)),
                 static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(block, block))));
      }
      return {length, hash.finish(length), found != 0};
    }
    found |= ((slashes << 1) | follows_slash) & (slashes | dots);
    follows_slash = slashes >> 15;
    hash.add(static_cast<uint64_t>(_mm_cvtsi128_si64(block)),
             static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(block, block))));
  }
}
#else
Scanned scan(const char* text) {
  auto length = static_cast<uint32_t>(strlen(text));
  bool irregular = length > 1 && text[length - 1] == '/';
  for (uint32_t i = 0; i + 1 < length; ++i) irregular |= text[i] == '/' && (text[i + 1] == '/' || text[i + 1] == '.');
  return {length, hash_name(text, length), irregular};
}
#endif

constexpr uint32_t kBeginning = 1024;        // bytes that a shortened name keeps in front at least
constexpr uint32_t kLongest = kPathMax - 8;  // so that there is room for what is put in front or behind
constexpr char kOmitted[] = "/...";

/// Takes directories out of the middle of out[0…n) so that `needed` bytes fit; returns the new length.
uint32_t shorten(char* out, uint32_t n, uint32_t needed) {
  constexpr uint32_t kMark = sizeof kOmitted - 1;
  uint32_t from = kBeginning;
  while (from < n && out[from] != '/') ++from;
  const bool marked = n - from >= kMark && memcmp(out + from, kOmitted, kMark) == 0;
  uint32_t to = (marked ? from + kMark : from) + kMark;
  while (to < n && (out[to] != '/' || from + kMark + (n - to) + needed > kLongest)) ++to;
  if (to > n) to = n;
  memmove(out + from + kMark, out + to, n - to);
  memcpy(out + from, kOmitted, kMark);
  return from + kMark + (n - to);
}

/// Appends the components of `path` to out[0…n), resolving "." and ".."; returns the new length.
uint32_t append_components(char* out, uint32_t n, const char* path) {
  while (*path) {
    while (*path == '/') ++path;
    const char* end = path;
    while (*end && *end != '/') ++end;
    auto length = static_cast<uint32_t>(end - path);
    if (length == 2 && path[0] == '.' && path[1] == '.') {
      while (n && out[--n] != '/') {
      }
    } else if (length > 0 && !(length == 1 && *path == '.')) {
      if (n + length + 1 > kLongest) n = shorten(out, n, length + 1);
      if (n + length + 1 > kLongest) break;  // no file has a name with such a part
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
  uint32_t length = prefix.length < kPathMax ? prefix.length : 0;
  memcpy(out, prefix.text, length);
  if (length == 1 && out[0] == '/') length = 0;
  return length;
}

}  // namespace

uint64_t hash_name(const char* text, uint32_t length) {
  Hash hash;
  uint64_t words[2];
  for (uint32_t i = 0; i < length; i += 16) {
    words[0] = words[1] = 0;
    memcpy(words, text + i, length - i < 16 ? length - i : 16);
    hash.add(words[0], words[1]);
  }
  return hash.finish(length);
}

PathName absolute_name(int directory, const char* path, uint32_t buffer) {
  if (*path == '/') {
    Scanned whole = scan(path);
    if (HEADRACE_LIKELY(!whole.irregular || whole.length == 1)) return {path, whole.length, whole.hash};
  }
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

namespace {

/// Lock held.
void follow_to(const char* path, uint32_t length) {
  memcpy(followed_text, path, length);
  followed_text[length] = 0;
  followed_length = length;
}

}  // namespace

void changed_working_directory(const char* path) {
  forget_working_directory();
  if (in_vfork_child()) return;
  Update update;
  if (!update.enter_anew()) return;
  {
    SpoolLock lock;
    if (*path == '/') followed_length = 0;
    if (followed_length == 1) followed_length = 0;  // "/"
    followed_length = append_components(followed_text, followed_length, path);
  }
  update.leave();
}

void changed_working_directory(int fd) {
  forget_working_directory();
  if (in_vfork_child()) return;
  Update update;
  if (!update.enter_anew()) return;
  const PathName name = name_of_descriptor(fd);
  if (name.length > 0 && name.length < kPathMax) {
    SpoolLock lock;
    follow_to(name.text, name.length);
  }
  update.leave();
}

HEADRACE_AT_START PathName working_directory() {
  uint32_t length = directory_length.load(std::memory_order_acquire);
  if (length == 0) {
    SpoolLock lock;
    uint32_t changes = directory_changes.load();
    long got = base::kernel_call(SYS_getcwd, directory_text, sizeof directory_text);
    length = got > 1 && directory_text[0] == '/' ? static_cast<uint32_t>(got - 1) : 0;
    if (length == 0) length = static_cast<uint32_t>(base::carried_directory(directory_text, sizeof directory_text));
    if (length != 0) {
      follow_to(directory_text, length);
    } else if (got == -ENAMETOOLONG || got == -ERANGE) {
      if (followed_length == 0) follow_to(kOmitted, sizeof kOmitted - 1);
      memcpy(directory_text, followed_text, followed_length);
      length = followed_length;
    }
    if (changes == directory_changes.load()) directory_length.store(length, std::memory_order_release);
  }
  return {directory_text, length, 0};
}

}  // namespace headrace::capture
