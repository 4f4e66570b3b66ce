#include "intercept/caller.h"

#include <dlfcn.h>
#include <link.h>

namespace headrace::intercept {
namespace {

struct Search {
  uintptr_t address;
  LoadedRange found;
};

int look_at(struct dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  LoadedRange range{UINTPTR_MAX, 0};
  bool inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t start = info->dlpi_addr + segment.p_vaddr, end = start + segment.p_memsz;
    inside |= search->address >= start && search->address < end;
    if (start < range.start) range.start = start;
    if (end > range.end) range.end = end;
  }
  if (inside) search->found = range;
  return inside;
}

/// In the caller's library and those that it needs. The program itself sees this library first, so it is not asked.
void* in_own_libraries(const char* name, const void* caller) {
  Dl_info info;
  struct link_map* map = nullptr;
  if (!dladdr1(caller, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map || !map->l_name[0])
    return nullptr;
  void* handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return nullptr;
  void* found = dlsym(handle, name);
  dlclose(handle);
  return found;
}

}  // namespace

LoadedRange object_at(const void* address) {
  Search search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

void* beyond(const char* name, const void* caller) {
  // Not a static variable: what guards its initialisation needs a later C library than the rest.
  const LoadedRange own = object_at(reinterpret_cast<const void*>(&beyond));
  void* found = in_own_libraries(name, caller);
  if (!found || own.contains(found)) found = dlsym(RTLD_NEXT, name);
  return own.contains(found) ? nullptr : found;
}

void* variable_beyond(const char* name, const void* caller) {
  void* found = dlsym(RTLD_DEFAULT, name);
  return found ? found : in_own_libraries(name, caller);
}

}  // namespace headrace::intercept
