// Functions of the C library that are younger than glibc 2.34, on which Headrace runs, and that the C++ runtime asks
// for where it was made for a younger one. They are hidden: each program and library that has the runtime has its own.
// And weak, so that those of the C library may stand beside them in a program that is linked statically.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/// glibc 2.36; for std::random_device.
extern "C" [[gnu::weak]] uint32_t arc4random() noexcept {
  uint32_t value = 0;
  // So few bytes come at once, or not at all: a signal stops it only while the kernel has no randomness yet.
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
    if (errno != EINTR) abort();
  }
  return value;
}

// Declared since glibc 2.35. Until then the runtime itself does this.
#ifdef DLFO_EH_SEGMENT_TYPE
namespace {

struct Search {
  uintptr_t address;
  dl_find_object* found;
};

int look_at(dl_phdr_info* object, size_t, void* data) {
  const auto* search = static_cast<const Search*>(data);
  uintptr_t start = UINTPTR_MAX, end = 0;
  void* unwind = nullptr;
  bool inside = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) & part = object->dlpi_phdr[i];
    const uintptr_t at = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == DLFO_EH_SEGMENT_TYPE) unwind = reinterpret_cast<void*>(at);
    if (part.p_type != PT_LOAD) continue;
    if (at < start) start = at;
    if (at + part.p_memsz > end) end = at + part.p_memsz;
    inside |= search->address - at < part.p_memsz;
  }
  if (!inside) return 0;
  *search->found = {};
  search->found->dlfo_map_start = reinterpret_cast<void*>(start);
  search->found->dlfo_map_end = reinterpret_cast<void*>(end);
  search->found->dlfo_eh_frame = unwind;
  return unwind == nullptr ? -1 : 1;
}

}  // namespace

/// glibc 2.35; for the unwinding of exceptions, which reads neither `dlfo_link_map` nor, on 64-bit machines, the base
/// of data: both stay null. 0: found.
extern "C" [[gnu::weak]] int _dl_find_object(void* address, dl_find_object* result) noexcept {
  Search search = {reinterpret_cast<uintptr_t>(address), result};
  return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}
#endif

// glibc 2.38: what programs with GNU extensions get for these names, which then also read 0b101. These read as before.
// A declaration of the C library would lead to the younger one, hence the labels.
extern "C" {
#define READS(type, name)                                     \
  type older_##name(const char*, char**, int) __asm__(#name); \
  [[gnu::weak]] type __isoc23_##name(const char* text, char** end, int base) { return older_##name(text, end, base); }
READS(long, strtol)
READS(long long, strtoll)
READS(unsigned long, strtoul)
READS(unsigned long long, strtoull)
#undef READS

int older_vsscanf(const char*, const char*, va_list) __asm__("__isoc99_vsscanf");
[[gnu::weak]] int __isoc23_sscanf(const char* text, const char* how, ...) {
  va_list out;
  va_start(out, how);
  const int read = older_vsscanf(text, how, out);
  va_end(out);
  return read;
}
}
