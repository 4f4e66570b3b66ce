#include "capture/recorder/sanitizer_runtime.h"

#include <link.h>
#include <string.h>

#include "base/kernel.h"
#include "base/start_code.h"

namespace headrace::capture {
namespace {

constexpr unsigned kHeaders = 16, kSegments = 8;

/// Part of the file that is mapped when the program runs.
struct Segment {
  uint64_t address, offset, bytes;
};

struct Segments {
  Segment loaded[kSegments];
  unsigned count = 0;
  Segment dynamic = {0, 0, 0};
};

long read_bytes(long fd, void* to, size_t size, uint64_t offset) {
  return base::kernel_call(SYS_pread64, fd, to, size, offset);
}

bool read_segments(long fd, Segments& to) {
  ElfW(Ehdr) header;
  ElfW(Phdr) programs[kHeaders];
  if (read_bytes(fd, &header, sizeof header, 0) != sizeof header || header.e_phentsize != sizeof *programs)
    return false;
  const long read = read_bytes(fd, programs, sizeof programs, header.e_phoff);
  for (unsigned i = 0; i < header.e_phnum && (i + 1) * static_cast<long>(sizeof *programs) <= read; ++i) {
    const Segment segment = {programs[i].p_vaddr, programs[i].p_offset, programs[i].p_filesz};
    if (programs[i].p_type == PT_LOAD && to.count < kSegments) to.loaded[to.count++] = segment;
    if (programs[i].p_type == PT_DYNAMIC) to.dynamic = segment;
  }
  return to.dynamic.bytes != 0;
}

/// Where in the file the name of the first library that it needs is; 0: it needs none.
uint64_t first_needed(long fd, const Segments& segments) {
  ElfW(Dyn) entries[64];
  const size_t size = segments.dynamic.bytes < sizeof entries ? segments.dynamic.bytes : sizeof entries;
  const long read = read_bytes(fd, entries, size, segments.dynamic.offset);
  uint64_t needed = 0, strings = 0;
  for (unsigned i = 0; (i + 1) * static_cast<long>(sizeof *entries) <= read && entries[i].d_tag != DT_NULL; ++i) {
    if (entries[i].d_tag == DT_NEEDED && needed == 0) needed = entries[i].d_un.d_val;
    if (entries[i].d_tag == DT_STRTAB) strings = entries[i].d_un.d_ptr;
  }
  for (unsigned i = 0; needed != 0 && i < segments.count; ++i) {
    const Segment& each = segments.loaded[i];
    if (strings >= each.address && strings - each.address < each.bytes)
      return each.offset + (strings - each.address) + needed;
  }
  return 0;
}

}  // namespace

HEADRACE_AT_START bool is_sanitizer_runtime(const char* path, size_t length) {
  constexpr char kOfGcc[] = "libasan.so", kOfClang[] = "libclang_rt.asan";
  const auto* slash = static_cast<const char*>(memrchr(path, '/', length));
  const char* name = slash ? slash + 1 : path;
  length -= static_cast<size_t>(name - path);
  const auto begins = [&](const char* with, size_t size) { return length >= size && memcmp(name, with, size) == 0; };
  return begins(kOfGcc, sizeof kOfGcc - 1) || begins(kOfClang, sizeof kOfClang - 1);
}

size_t leading_runtime(const char* list) {
  const size_t length = strcspn(list, ": ");
  return is_sanitizer_runtime(list, length) ? length : 0;
}

void find_sanitizer_runtime(long fd, char* name) {
  name[0] = 0;
  Segments segments;
  if (!read_segments(fd, segments)) return;
  const uint64_t at = first_needed(fd, segments);
  const long read = at != 0 ? read_bytes(fd, name, kRuntimeName, at) : 0;
  const size_t length = read > 0 ? strnlen(name, static_cast<size_t>(read)) : 0;
  if (length >= kRuntimeName || !is_sanitizer_runtime(name, length) || strpbrk(name, ": ") != nullptr) name[0] = 0;
}

}  // namespace headrace::capture
