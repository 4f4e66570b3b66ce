#include "capture/recorder/loaded_objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/start_code.h"
#include "capture/recorder/readable.h"
#include "capture/recorder/state.h"

namespace headrace::capture {
namespace {

/// As glibc's <dlfcn.h> has it since 2.35; the last words are reserved.
struct FoundSymbols {
  unsigned long long flags;
  void *start, *end;
  struct link_map* map;
  void* unwind;
  unsigned long long reserved[9];
};
int (*look_up)(void*, FoundSymbols*);

constexpr uint32_t kListed = 128;
HEADRACE_LARGE LoadedObject listed[kListed];  // where there is nothing to ask
uint32_t listed_count;
const link_map *first_map, *last_permanent;

int list_object(struct dl_phdr_info* info, size_t, void*) {
  if (listed_count == kListed) return 1;
  LoadedObject object{UINTPTR_MAX, 0, info->dlpi_addr, nullptr, nullptr, info->dlpi_name ? info->dlpi_name : ""};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = info->dlpi_phdr[i];
    const uintptr_t at = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) object.unwind = reinterpret_cast<const void*>(at);
    if (segment.p_type != PT_LOAD) continue;
    if (at < object.start) object.start = at & ~uintptr_t{4095};
    if (at + segment.p_memsz > object.end) object.end = at + segment.p_memsz;
  }
  listed[listed_count++] = object;
  return 0;
}

bool find_listed(uintptr_t address, LoadedObject* out) {
  for (uint32_t i = 0; i < listed_count; ++i) {
    if (address < listed[i].start || address >= listed[i].end) continue;
    *out = listed[i];
    return true;
  }
  return false;
}

/// The build id among the notes in [at, end).
BuildId build_id_in(uintptr_t at, uintptr_t end) {
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    memcpy(&note, reinterpret_cast<const void*>(at), sizeof note);
    const uintptr_t name = at + sizeof note, body = name + ((uintptr_t{note.n_namesz} + 3) & ~uintptr_t{3});
    const uintptr_t next = body + ((uintptr_t{note.n_descsz} + 3) & ~uintptr_t{3});
    if (next > end || next < at) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        memcmp(reinterpret_cast<const void*>(name), "GNU", 4) == 0)
      return {reinterpret_cast<const unsigned char*>(body), note.n_descsz};
    at = next;
  }
  return {nullptr, 0};
}

}  // namespace

HEADRACE_AT_START void prepare_objects() {
  look_up = reinterpret_cast<int (*)(void*, FoundSymbols*)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  if (!look_up) dl_iterate_phdr(list_object, nullptr);
  // The objects of the start are never unloaded, so this part of the loader's list stays as it is.
  FoundSymbols found{};
  if (look_up && look_up(reinterpret_cast<void*>(&prepare_objects), &found) == 0) first_map = found.map;
  while (first_map && first_map->l_prev) first_map = first_map->l_prev;
  for (const link_map* map = first_map; map; map = map->l_next) last_permanent = map;
}

HEADRACE_AT_START bool find_object(uintptr_t address, LoadedObject* out) {
  if (!look_up) return find_listed(address, out);
  FoundSymbols found;
  if (look_up(reinterpret_cast<void*>(address), &found) != 0 || !found.map) return false;
  *out = {reinterpret_cast<uintptr_t>(found.start),
          reinterpret_cast<uintptr_t>(found.end),
          found.map->l_addr,
          found.unwind,
          found.map,
          found.map->l_name ? found.map->l_name : ""};
  return true;
}

bool is_permanent(const LoadedObject& object) {
  if (!look_up) return true;
  for (const link_map* map = first_map; map; map = map->l_next) {
    if (map == object.map) return true;
    if (map == last_permanent) break;
  }
  return false;
}

BuildId build_id_of(const LoadedObject& object) {
  constexpr BuildId kNone{nullptr, 0};
  Readable memory;
  if (object.end - object.start < sizeof(ElfW(Ehdr)) || !memory.covers(object.start, sizeof(ElfW(Ehdr)))) return kNone;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(object.start);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr))) return kNone;
  const uintptr_t table = object.start + header->e_phoff, bytes = sizeof(ElfW(Phdr)) * header->e_phnum;
  if (table < object.start || table + bytes > object.end || !memory.covers(table, bytes)) return kNone;
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(table);
  for (uint32_t i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type != PT_NOTE) continue;
    const uintptr_t at = object.bias + segments[i].p_vaddr, end = at + segments[i].p_memsz;
    Readable notes;
    if (at < object.start || end > object.end || end < at || at % 4 != 0 || !notes.covers(at, end - at)) continue;
    if (const BuildId id = build_id_in(at, end); id.bytes) return id;
  }
  return kNone;
}

uint64_t identity_of(const LoadedObject& object, const BuildId& id) {
  uint64_t word = object.end - object.start;
  if (id.bytes && id.length >= sizeof word) {
    memcpy(&word, id.bytes, sizeof word);
  } else {
    for (const char* c = object.name; *c; ++c) word = (word ^ static_cast<unsigned char>(*c)) * 0x100000001b3;
  }
  return word;
}

}  // namespace headrace::capture
