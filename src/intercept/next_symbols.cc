#include "intercept/next_symbols.h"

#include <elf.h>
#include <string.h>

#include "base/start_code.h"

namespace headrace::intercept {
namespace {

constexpr uint32_t kWordBits = sizeof(ElfW(Addr)) * 8;

HEADRACE_AT_START uint32_t hash_of(const char* name) {
  uint32_t hash = 5381;
  for (; *name; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

}  // namespace

HEADRACE_AT_START SymbolTable::SymbolTable(const link_map& map) : base_(map.l_addr) {
  const uint32_t* hashes = nullptr;
  for (const ElfW(Dyn)* entry = map.l_ld; entry && entry->d_tag != DT_NULL; ++entry) {
    // The loader makes addresses of them, but not where the section cannot be written.
    const uintptr_t value = entry->d_un.d_ptr, address = value < map.l_addr ? value + map.l_addr : value;
    if (entry->d_tag == DT_GNU_HASH) hashes = reinterpret_cast<const uint32_t*>(address);
    if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_STRTAB) names_ = reinterpret_cast<const char*>(address);
    if (entry->d_tag == DT_VERSYM) versions_ = reinterpret_cast<const ElfW(Half)*>(address);
  }
  if (!hashes || !symbols_ || !names_ || hashes[2] == 0) return;
  buckets_ = hashes[0];
  first_ = hashes[1];
  words_ = hashes[2];
  shift_ = hashes[3];
  filter_ = reinterpret_cast<const ElfW(Addr)*>(hashes + 4);
  heads_ = reinterpret_cast<const uint32_t*>(filter_ + words_);
  chains_ = heads_ + buckets_;
}

HEADRACE_AT_START bool SymbolTable::is_default(uint32_t index) const {
  constexpr ElfW(Half) kHidden = 0x8000, kFirstOfLibrary = 2;
  return !versions_ || (versions_[index] & kHidden) == 0 || (versions_[index] & 0x7fff) < kFirstOfLibrary;
}

HEADRACE_AT_START const ElfW(Sym) * SymbolTable::find(const char* name, uint32_t hash) const {
  const ElfW(Addr) word = filter_[hash / kWordBits % words_];  // tells of most names that are not there
  if (!(word >> (hash % kWordBits) & 1) || !(word >> ((hash >> shift_) % kWordBits) & 1)) return nullptr;
  uint32_t index = heads_[hash % buckets_];
  if (index < first_) return nullptr;
  for (;; ++index) {
    const uint32_t found = chains_[index - first_];
    const ElfW(Sym) & symbol = symbols_[index];
    if ((found | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 &&
        strcmp(names_ + symbol.st_name, name) == 0 && is_default(index))
      return &symbol;
    if (found & 1) return nullptr;
  }
}

HEADRACE_AT_START const link_map* own_map() {
  const link_map* map = _r_debug.r_map;
  while (map && map->l_ld != _DYNAMIC) map = map->l_next;
  return map;
}

HEADRACE_AT_START void NextSymbols::prepare() {
  constexpr char kOfLibc[] = "__libc_start_main";
  const link_map* own = own_map();
  const uint32_t hash = hash_of(kOfLibc);
  uint32_t count = 0;
  // The loader lists what it loads at the start in the order in which it searches; what came later stands behind.
  for (const link_map* map = own ? own->l_next : nullptr; map && count < kMost; map = map->l_next) {
    SymbolTable& table = tables_[count++] = SymbolTable(*map);
    if (!table.usable()) return;  // whatever it has would be passed over
    if (table.find(kOfLibc, hash)) {
      count_ = count;
      return;
    }
  }
}

HEADRACE_AT_START void* NextSymbols::find(const char* name) const { return find_in(count_, name); }

HEADRACE_AT_START void* NextSymbols::find_before_libc(const char* name) const {
  return find_in(count_ ? count_ - 1 : 0, name);
}

HEADRACE_AT_START void* NextSymbols::find_in(uint32_t first_tables, const char* name) const {
  const uint32_t hash = hash_of(name);
  for (uint32_t i = 0; i < first_tables; ++i) {
    const ElfW(Sym)* symbol = tables_[i].find(name, hash);
    if (!symbol) continue;
    const unsigned type = symbol->st_info & 0xf;
    const bool plain = type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE;
    return plain ? tables_[i].address_of(*symbol) : nullptr;  // some are chosen by a function of theirs
  }
  return nullptr;
}

}  // namespace headrace::intercept
